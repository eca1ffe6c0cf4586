// Names of bodies, joints and points over the picture.
import { Vector3 } from "three";
import { h } from "../common/dom";
import { GROUND, type Part, type Scene } from "../common/scene";
import type { MechanismView } from "./mechanism";
import { moving } from "./joints";
import type { Stage } from "./stage";

interface Label {
  element: HTMLElement;
  body: string;
  at: number[];
}

const MOST = 80; // more would cover the picture

export class Labels {
  visible = false;
  private labels: Label[] = [];
  private view: MechanismView | null = null;
  private readonly place = new Vector3();

  constructor(
    private readonly holder: HTMLElement,
    private readonly onClick: (part: Part) => void,
  ) {}

  show(view: MechanismView): void {
    this.view = view;
    for (const { element } of this.labels) element.remove();
    this.labels = [];
    if (!this.visible) return;
    for (const { part, body, at } of named(view.scene).slice(0, MOST)) {
      const element = h(`span.label.${part.kind}`, { onclick: () => this.onClick(part) }, part.name);
      this.holder.append(element);
      this.labels.push({ element, body, at });
    }
  }

  toggle(): void {
    this.visible = !this.visible;
    if (this.view) this.show(this.view);
  }

  update(stage: Stage): void {
    if (!this.view || !this.visible) return;
    const bounds = this.holder.getBoundingClientRect();
    for (const { element, body, at } of this.labels) {
      const p = stage.project(this.view.place({ body, at }, this.place));
      element.style.display = p.visible ? "" : "none";
      element.style.transform = `translate(${p.x - bounds.left + 8}px, ${p.y - bounds.top - 20}px)`;
    }
  }
}

function named(scene: Scene): { part: Part; body: string; at: number[] }[] {
  const bodies = scene.bodies.map((b) => ({
    part: { kind: "body" as const, name: b.name },
    body: b.name,
    at: b.kind === "rod" ? [b.length / 2, 0, 0] : b.com,
  }));
  const joints = scene.joints.flatMap((j) => {
    const marker = moving(j) ?? j.markers.find((m) => m.body === GROUND);
    return marker ? [{ part: { kind: "joint" as const, name: j.name }, body: marker.body, at: marker.at }] : [];
  });
  return [...bodies, ...joints];
}
