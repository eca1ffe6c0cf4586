// Where the pointer is meant to be: at a point, on a body, on the grid, or at a round angle from the last place.
import { Vector3 } from "three";
import { GROUND, type Scene } from "../../common/scene";
import type { MechanismView } from "../../render/mechanism";
import type { Stage } from "../../render/stage";

const POINT = 14; // pixels within which a point attracts
const GRID = 9; // and a crossing of the grid's lines
const ANGLE = (3 * Math.PI) / 180; // and a round angle
const ROUND = Math.PI / 12; // round angles: multiples of 15 degrees
const FINE = 20; // elsewhere places are multiples of this part of a cell

export interface Spot {
  world: Vector3;
  point: string | null; // a named point of the model
  body: string | null; // that is under the pointer; none: the ground
  how: "point" | "grid" | "angle" | "fine" | "typed";
}

export const free = (world: Vector3, how: Spot["how"] = "typed"): Spot => ({ world, point: null, body: null, how });

// Named points, where they are now.
export function pointsNow(view: MechanismView): { name: string; at: Vector3 }[] {
  return view.scene.points.flatMap((p) => {
    const marker = p.on.find((m) => m.body === GROUND) ?? p.on[0];
    return marker ? [{ name: p.name, at: view.place(marker, new Vector3()) }] : [];
  });
}

export function snap(
  stage: Stage,
  view: MechanismView,
  x: number,
  y: number,
  from: Vector3 | null,
  exact: boolean, // no grid and no angles
): Spot | null {
  const near = nearestPoint(stage, view, x, y);
  if (near) return { world: near.at, point: near.name, body: bodyAt(stage, view, x, y), how: "point" };
  const raw = onSheet(stage, view.scene, x, y, from);
  if (!raw) return null;
  const body = bodyAt(stage, view, x, y);
  if (exact) return { world: raw, point: null, body, how: "fine" };
  const cell = stage.cell;
  const crossing = rounded(raw, cell);
  const seen = stage.project(crossing);
  if (Math.hypot(seen.x - x, seen.y - y) < GRID) return { world: crossing, point: null, body, how: "grid" };
  const turned = from && atRoundAngle(from, raw, cell / FINE);
  if (turned) return { world: turned, point: null, body, how: "angle" };
  return { world: rounded(raw, cell / FINE), point: null, body, how: "fine" };
}

function nearestPoint(stage: Stage, view: MechanismView, x: number, y: number) {
  let best: { name: string; at: Vector3 } | null = null;
  let nearest = POINT;
  for (const one of pointsNow(view)) {
    const p = stage.project(one.at);
    const d = Math.hypot(p.x - x, p.y - y);
    if (p.visible && d < nearest) [nearest, best] = [d, one];
  }
  return best;
}

export function bodyAt(stage: Stage, view: MechanismView, x: number, y: number): string | null {
  const hit = stage.pick(x, y);
  return hit ? view.bodyOf(hit.object) : null;
}

// In the plane on it; in space on the level of the last place, or of the ground's zero.
function onSheet(stage: Stage, scene: Scene, x: number, y: number, from: Vector3 | null): Vector3 | null {
  if (scene.planar) return stage.onPlane(x, y, new Vector3());
  const { origin, direction } = stage.ray(x, y).ray;
  const up = new Vector3(...scene.gravity).negate();
  if (up.length() === 0) up.set(0, 0, 1);
  up.normalize();
  const level = from ? from.dot(up) : 0;
  const s = (level - origin.dot(up)) / direction.dot(up);
  return s > 0 ? origin.clone().addScaledVector(direction, s) : null;
}

function rounded(p: Vector3, step: number): Vector3 {
  const decimal = (v: number) => Number((Math.round(v / step) * step).toPrecision(12));
  return new Vector3(decimal(p.x), decimal(p.y), decimal(p.z));
}

function atRoundAngle(from: Vector3, to: Vector3, step: number): Vector3 | null {
  const way = to.clone().sub(from);
  if (way.z !== 0 || way.length() === 0) return null;
  const angle = Math.atan2(way.y, way.x);
  const near = Math.round(angle / ROUND) * ROUND;
  if (Math.abs(angle - near) > ANGLE) return null;
  const length = Math.max(1, Math.round(way.length() / step)) * step;
  return from.clone().add(new Vector3(Math.cos(near), Math.sin(near), 0).multiplyScalar(length));
}
