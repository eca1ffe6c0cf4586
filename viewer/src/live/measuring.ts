// Measures: the distance of two places, the angle at the second of three, and the way that a single place has come.
// Places are fixed to the bodies under them, and the figures follow the motion.
import { Vector3 } from "three";
import { shown } from "../common/dom";
import { GROUND } from "../common/scene";
import type { MechanismView } from "../render/mechanism";
import type { App } from "./app";
import type { Preview } from "./draw/preview";
import type { Spot } from "./draw/snap";

const MOST = 3; // places of one measure

interface Held {
  body: string;
  at: Vector3; // body axes
}

export class Measuring {
  private places: Held[] = [];
  private way = 0; // m
  private before: Vector3 | null = null;
  private time = NaN;

  constructor(
    private readonly app: App,
    private readonly preview: Preview,
  ) {}

  get shown(): boolean {
    return this.places.length > 0;
  }

  clear(): void {
    this.places = [];
    this.preview.clear();
  }

  pick(spot: Spot, view: MechanismView | null): void {
    if (!view) return;
    if (this.places.length === MOST) this.places = [];
    const carrier = view.scene.points.find((p) => p.name === spot.point)?.on.find((m) => m.body !== GROUND)?.body;
    const body = carrier ?? spot.body ?? GROUND;
    this.places.push({ body, at: view.local(body, spot.world) });
    [this.way, this.before] = [0, null];
  }

  // What is measured, in words: for the picture, and for tests.
  text(): string {
    const p = this.now();
    if (p.length === 1) return `way ${shown(this.way)} m`;
    if (p.length === 2) return `${shown(p[0]!.distanceTo(p[1]!))} m`;
    if (p.length < MOST) return "";
    const [a, b] = [p[0]!.clone().sub(p[1]!), p[2]!.clone().sub(p[1]!)];
    return `${shown((a.angleTo(b) * 180) / Math.PI)}°`;
  }

  draw(hover: Spot | null): void {
    this.follow();
    this.preview.clear();
    const p = this.now();
    const all = hover && p.length < MOST ? [...p, hover.world] : p;
    all.slice(1).forEach((q, i) => this.preview.span(all[i]!, q, i === p.length - 2 ? this.text() : ""));
    if (p.length === 1 && all.length === 1) this.preview.span(p[0]!, p[0]!, this.text());
  }

  private now(): Vector3[] {
    const view = this.app.picture?.view;
    if (!view) return [];
    return this.places.map(({ body, at }) => view.place({ body, at: at.toArray() }, new Vector3()));
  }

  // The way of a single place; a reset begins it anew.
  private follow(): void {
    const [place] = this.now();
    if (!place) return;
    if (this.app.now < this.time) [this.way, this.before] = [0, null];
    if (this.before) this.way += place.distanceTo(this.before);
    this.before = place;
    this.time = this.app.now;
  }
}
