// The mouse, or a finger, on the picture: a drag on a body pulls it, a click selects, the rest moves the view.
import { Vector3 } from "three";
import type { Part } from "../common/scene";
import { GROUND } from "../common/scene";
import type { App } from "./app";

const CLICK = 5; // pixels within which a press is a click
const SNAP = 16; // pixels within which a named place attracts
const INTERVAL = 16; // ms between two targets

export interface PickedPlace {
  body: string;
  at: Vector3; // body axes
}

interface Press {
  id: number;
  x: number;
  y: number;
  part: Part | null;
  body: string | null;
  at: Vector3; // body axes
  depth: Vector3; // world, where it was gripped
  pulling: boolean;
  hold: boolean;
  dragging: boolean; // moved with the joints held, while the run is paused
  target: Vector3 | null; // that was sent last
}

export class Pointer {
  private press: Press | null = null;
  private lastSent = 0;
  private pending: Vector3 | null = null;
  private readonly name = `mouse-${Math.random().toString(36).slice(2, 8)}`;

  constructor(
    private readonly app: App,
    element: HTMLElement,
  ) {
    // before the view's own listeners, which sit on the canvas
    element.addEventListener("pointerdown", (event) => this.down(event), { capture: true });
    element.addEventListener("dblclick", () => this.app.stage.fit());
    addEventListener("pointermove", (event) => this.move(event));
    addEventListener("pointerup", (event) => this.up(event));
    addEventListener("pointercancel", (event) => this.up(event));
  }

  get pulling(): boolean {
    return this.press?.pulling ?? false;
  }

  cancel(): void {
    if (this.press?.pulling && !this.press.dragging) void this.app.send({ do: "release", name: this.name });
    this.press = null;
  }

  private down(event: PointerEvent): void {
    if (event.button !== 0 || !event.isPrimary || event.target !== this.app.stage.canvas) return;
    const hit = this.app.stage.pick(event.clientX, event.clientY);
    const view = this.app.picture?.view;
    const part = hit && view ? view.partOf(hit.object) : null;
    const body = hit && view ? view.bodyOf(hit.object) : null;
    this.press = {
      id: event.pointerId,
      x: event.clientX,
      y: event.clientY,
      part,
      body,
      at: new Vector3(),
      depth: new Vector3(),
      pulling: false,
      hold: event.shiftKey,
      dragging: false,
      target: null,
    };
    if (!body || !hit || !view) return;
    const grip = hit.point.clone();
    if (view.scene.planar) grip.z = 0;
    this.press.at = view.local(body, grip);
    this.press.depth = grip;
    if (!this.app.connecting) event.stopPropagation();
  }

  private move(event: PointerEvent): void {
    const press = this.press;
    if (!press || press.id !== event.pointerId || !press.body || this.app.connecting) return;
    if (!press.pulling && Math.hypot(event.clientX - press.x, event.clientY - press.y) < CLICK) return;
    press.pulling = true;
    const target = this.app.stage.onPlane(event.clientX, event.clientY, press.depth);
    if (target) this.pull(press, target);
  }

  // The run goes on, or stops, while something is held: a drag becomes a pull.
  statusChanged(): void {
    const { press } = this;
    if (press?.pulling && press.dragging && !this.app.status?.paused && press.target) this.pull(press, press.target);
  }

  // The newest target; one that came too soon follows.
  private pull(press: Press, target: Vector3): void {
    const now = performance.now();
    if (now - this.lastSent < INTERVAL || this.app.busy) {
      if (!this.pending) setTimeout(() => this.flush(press), INTERVAL);
      this.pending = target;
      return;
    }
    this.lastSent = now;
    this.pending = null;
    press.target = target;
    const place = { body: press.body, at: press.at.toArray(), target: target.toArray() };
    press.dragging = Boolean(this.app.status?.paused) && !press.hold;
    const command = press.dragging ? { do: "drag", ...place } : { do: "pull", name: this.pullName(press), ...place };
    void this.app.send(press.hold ? { ...command, hold: true } : command).then((reply) => {
      if (!reply.ok && this.press === press) this.app.say("error", reply.error ?? "The pull was refused.");
      if (!reply.ok) this.press = null;
    });
  }

  private flush(press: Press): void {
    const target = this.pending;
    this.pending = null;
    if (target && this.press === press) this.pull(press, target);
  }

  // Held places stay, each under its own name.
  private pullName(press: Press): string {
    return press.hold ? `${this.name}-${press.body}-${Math.round(press.x)}-${Math.round(press.y)}` : this.name;
  }

  private up(event: PointerEvent): void {
    const press = this.press;
    if (!press || press.id !== event.pointerId) return;
    this.press = null;
    this.pending = null;
    if (press.pulling) {
      if (press.dragging) void this.app.send({ do: "end-drag" });
      else if (!press.hold) void this.app.send({ do: "release", name: this.name });
      return;
    }
    if (Math.hypot(event.clientX - press.x, event.clientY - press.y) >= CLICK) return;
    if (this.app.connecting) this.app.connecting.picked(this.snapped(press, event));
    else this.app.select(press.part);
  }

  // The nearest named place on the screen, on another body than the first pick; else where the body was hit; else
  // the ground there. The same place twice: it and the ground.
  private snapped(press: Press, event: PointerEvent): PickedPlace {
    const { stage, picture } = this.app;
    const view = picture!.view;
    let best: PickedPlace | null = null;
    let nearest = SNAP;
    const world = new Vector3();
    const first = this.app.connecting?.first ?? null;
    for (const place of view.places()) {
      if (place.body === first?.body) continue;
      const p = stage.project(view.place(place, world));
      // of two that cover each other, the one on the body that was hit
      const d = Math.hypot(p.x - event.clientX, p.y - event.clientY) + (place.body === press.body ? 0 : 2);
      if (p.visible && d < nearest) [nearest, best] = [d, { body: place.body, at: new Vector3(...place.at) }];
    }
    if (best) return best;
    if (first && press.body === first.body) {
      const at = view.place({ body: first.body, at: first.at.toArray() }, world).clone();
      const p = stage.project(at);
      if (Math.hypot(p.x - event.clientX, p.y - event.clientY) < SNAP) return { body: GROUND, at };
    }
    if (press.body) return { body: press.body, at: press.at };
    const at = stage.onPlane(event.clientX, event.clientY, view.scene.planar ? new Vector3() : stage.controls.target);
    return { body: GROUND, at: at ?? new Vector3() };
  }
}
