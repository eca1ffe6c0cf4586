// Bodies, joints, forces and drivers as a list; selection goes both ways.
import { h } from "../common/dom";
import { icon } from "../common/icons";
import { type Part, type PartKind, samePart, type Scene } from "../common/scene";
import { bodyColour } from "../render/looks";

interface Row {
  part: Part;
  element: HTMLElement;
}

export class Tree {
  private rows: Row[] = [];
  private readonly list = h("div.tree-list", { role: "tree", "aria-label": "Parts of the mechanism" });
  private readonly search = h("input", { type: "search", placeholder: "Find a part", "aria-label": "Find a part" });

  constructor(
    holder: HTMLElement,
    private readonly onSelect: (part: Part | null) => void,
  ) {
    this.search.addEventListener("input", () => this.filter());
    holder.append(this.search, this.list);
  }

  show(scene: Scene): void {
    this.rows = [];
    const sections = [
      this.section("Bodies", "body", scene.bodies, (b) => b.kind),
      this.section("Joints", "joint", scene.joints, (j) => j.kind),
      this.section("Forces", "force", scene.forces, (f) => f.kind),
      this.section("Drivers", "driver", scene.drivers, (d) => d.of || d.kind),
    ];
    this.list.replaceChildren(this.modelRow(scene), ...sections.filter((x) => x !== null));
    this.search.hidden = this.rows.length < 16;
    this.filter();
  }

  select(part: Part | null): void {
    this.list.querySelector(".model-row")?.classList.toggle("selected", part === null);
    for (const row of this.rows) {
      const yes = samePart(row.part, part);
      row.element.classList.toggle("selected", yes);
      row.element.setAttribute("aria-selected", String(yes));
      if (yes) row.element.scrollIntoView({ block: "nearest" });
    }
  }

  private modelRow(scene: Scene): HTMLElement {
    return h(
      "button.row.model-row",
      { onclick: () => this.onSelect(null), title: "Method, gravity and parameters" },
      icon("menu"),
      h("span.name", {}, scene.name),
      h("small", {}, scene.planar ? "plane" : "space"),
    );
  }

  private section<T extends { name: string }>(
    title: string,
    kind: PartKind,
    items: T[],
    note: (item: T) => string,
  ): HTMLElement | null {
    if (items.length === 0) return null;
    const rows = items.map((item, i) => this.row({ kind, name: item.name }, note(item), i));
    return h("details.section", { open: true }, h("summary", {}, title, h("small", {}, String(items.length))), ...rows);
  }

  private row(part: Part, note: string, index: number): HTMLElement {
    const mark =
      part.kind === "body"
        ? h("i.swatch", { style: `background:${bodyColour(index)}` })
        : icon(part.kind === "joint" ? "joint" : part.kind === "force" ? "spring" : "motor");
    const element = h(
      "button.row",
      { role: "treeitem", onclick: () => this.onSelect(part) },
      mark,
      h("span.name", {}, part.name),
      h("small", {}, note),
    );
    this.rows.push({ part, element });
    return element;
  }

  private filter(): void {
    const wanted = this.search.value.toLowerCase();
    for (const { part, element } of this.rows) element.hidden = !part.name.toLowerCase().includes(wanted);
  }
}
