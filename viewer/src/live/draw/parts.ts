// Joints and gears from the places that were clicked: which bodies they join.
import { GROUND } from "../../common/scene";
import type { MechanismView } from "../../render/mechanism";
import type { Stage } from "../../render/stage";
import type { Pencil } from "./changes";
import type { Spot } from "./snap";

// The bodies at a spot: those that carry its point, and those that are seen there.
export class BodiesAt {
  constructor(
    private readonly stage: Stage,
    readonly view: MechanismView,
  ) {}

  carriers(spot: Spot): string[] {
    return this.view.scene.points.find((p) => p.name === spot.point)?.on.map((m) => m.body) ?? [];
  }

  under(spot: Spot): string[] {
    const { x, y } = this.stage.project(spot.world);
    const hits = this.stage.ray(x, y).intersectObjects(this.view.pickable, true);
    return [...new Set(hits.map((hit) => this.view.bodyOf(hit.object)).filter((body) => body !== null))];
  }

  // One of them, rather another than one that is given.
  one(spot: Spot, not?: string | null): string | null {
    const all = [spot.body, ...this.carriers(spot), ...this.under(spot)].filter((x) => x !== null && x !== GROUND);
    return all.find((x) => x !== not) ?? all[0] ?? null;
  }
}

export function ground(pencil: Pencil, spot: Spot): void {
  if (!spot.point && !spot.body) throw new Error("Ground: click a point of a link.");
  pencil.ground(spot);
}

// All bodies under the place share a point there.
export function pin(pencil: Pencil, bodies: BodiesAt, spot: Spot): void {
  const carriers = new Set(bodies.carriers(spot));
  const under = bodies.under(spot).filter((body) => !carriers.has(body));
  if (carriers.size + under.length < 2)
    throw new Error("Pin: click where two bodies cross, or at the end of one on another.");
  const name = spot.point ?? pencil.names.point();
  if (!spot.point) pencil.set(["points", name], pencil.vector(spot.world));
  for (const body of under) pencil.carry(body, name, spot.world);
}

export function weld(pencil: Pencil, bodies: BodiesAt, a: Spot, b: Spot): void {
  const first = bodies.one(a);
  const second = bodies.one(b, first);
  if (!first || first === second) throw new Error("Weld: click two bodies, or a body and the ground beside it.");
  pencil.weld(first, second ?? GROUND);
}

export function gears(pencil: Pencil, bodies: BodiesAt, a: Spot, b: Spot, ratio?: number): void {
  const first = bodies.one(a);
  const second = bodies.one(b, first);
  if (!first || !second || first === second) throw new Error("Gears: click the pivots of two different bodies.");
  pencil.gears([first, second], [a, b], ratio && ratio > 0 ? ratio : 1);
}

// What a motor at a spot drives: the body that is pinned to the ground there, or a joint with one coordinate.
export function drivable(bodies: BodiesAt, spot: Spot): string | null {
  const { scene } = bodies.view;
  const carriers = bodies.carriers(spot);
  if (scene.planar && carriers.includes(GROUND)) return carriers.find((x) => x !== GROUND) ?? null;
  const single = scene.joints.filter((j) => j.coordinates.length === 1);
  const own = single.find((j) => j.name === spot.point);
  const body = bodies.one(spot);
  return (own ?? single.find((j) => body && j.markers.some((m) => m.body === body)))?.name ?? null;
}
