// What is being drawn, over the picture: places, the line to the pointer, and its dimensions.
import type { Vector3 } from "three";
import type { Stage } from "../../render/stage";
import type { Spot } from "./snap";

const SVG = "http://www.w3.org/2000/svg";

export class Preview {
  private readonly svg = document.createElementNS(SVG, "svg");

  constructor(
    holder: HTMLElement,
    private readonly stage: Stage,
  ) {
    this.svg.setAttribute("class", "draw-preview");
    this.svg.setAttribute("aria-hidden", "true");
    holder.append(this.svg);
  }

  clear(): void {
    this.svg.replaceChildren();
  }

  // The picked places joined by lines, the last to where the pointer is.
  show(picks: Spot[], hover: Spot | null, text: string, closed = false): void {
    this.clear();
    const all = hover ? [...picks, hover] : picks;
    const places = all.map((s) => this.pixel(s.world));
    if (places.length > 1) {
      const path = places.map((p, i) => `${i ? "L" : "M"}${p.x} ${p.y}`).join("");
      this.add("path", { d: closed ? `${path}Z` : path, class: "draw-line" });
    }
    all.forEach((spot, i) => {
      const { x, y } = places[i]!;
      const caught = spot.how === "point" || spot.point ? "caught" : spot.body ? "on-body" : "";
      this.add("circle", { cx: x, cy: y, r: spot === hover && !caught ? 4 : 6, class: `draw-dot ${caught}` });
    });
    const last = places.at(-1);
    if (last && text) {
      const label = this.add("text", { x: last.x + 14, y: last.y - 12, class: "draw-label" });
      label.textContent = text;
    }
  }

  // A line between two places and a word beside it, which stays as the mechanism moves.
  span(a: Vector3, b: Vector3, text: string): void {
    const [p, q] = [this.pixel(a), this.pixel(b)];
    this.add("path", { d: `M${p.x} ${p.y}L${q.x} ${q.y}`, class: "draw-measure" });
    for (const end of [p, q]) this.add("circle", { cx: end.x, cy: end.y, r: 3.5, class: "draw-measure-end" });
    const label = this.add("text", { x: (p.x + q.x) / 2 + 8, y: (p.y + q.y) / 2 - 8, class: "draw-label" });
    label.textContent = text;
  }

  pixel(world: Vector3): { x: number; y: number } {
    const bounds = this.svg.getBoundingClientRect();
    const { x, y } = this.stage.project(world);
    return { x: Math.round(x - bounds.left), y: Math.round(y - bounds.top) };
  }

  private add(name: string, attributes: Record<string, string | number>): SVGElement {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
    this.svg.append(element);
    return element;
  }
}
