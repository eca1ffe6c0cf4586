// How large the reactions are, written where their arrows end.
import { h, shown } from "../common/dom";
import type { ForceArrows } from "./arrows";
import type { Stage } from "./stage";

const MOST = 10; // more would cover the picture
const APART = 26; // pixels between two that are written

export class ForceValues {
  private readonly labels: HTMLElement[] = [];

  constructor(private readonly holder: HTMLElement) {}

  update(stage: Stage, arrows: ForceArrows | null): void {
    const bounds = this.holder.getBoundingClientRect();
    const taken: { x: number; y: number }[] = [];
    for (const { at, force } of arrows?.tips(MOST) ?? []) {
      const p = stage.project(at);
      if (!p.visible || taken.some((q) => Math.abs(q.x - p.x) < 2 * APART && Math.abs(q.y - p.y) < 0.7 * APART))
        continue;
      const label = this.label(taken.length);
      taken.push(p);
      label.textContent = `${shown(Number(force.toPrecision(3)))} N`;
      label.hidden = false;
      label.style.transform = `translate(${p.x - bounds.left + 6}px, ${p.y - bounds.top - 8}px)`;
    }
    this.labels.slice(taken.length).forEach((label) => (label.hidden = true));
  }

  private label(k: number): HTMLElement {
    if (!this.labels[k]) {
      this.labels[k] = h("span.label.value", {});
      this.holder.append(this.labels[k]);
    }
    return this.labels[k];
  }
}
