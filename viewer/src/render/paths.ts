// Which places leave a trace unless a person says otherwise: free ends, or else points that move.
import { GROUND, type Scene } from "../common/scene";

export interface TracedPlace {
  name: string;
  body: string;
  at: [number, number, number];
}

const MOST = 4;

export function tracedPlaces(scene: Scene): TracedPlace[] {
  const moving = scene.points.filter((p) => p.on.length > 0 && p.on.every((m) => m.body !== GROUND));
  const ends = moving.filter((p) => new Set(p.on.map((m) => m.body)).size === 1);
  const points = (ends.length ? ends : moving).map((p) => ({ name: p.name, body: p.on[0]!.body, at: p.on[0]!.at }));
  if (points.length) return points.slice(-MOST);
  return scene.bodies.slice(0, MOST).map((b) => ({ name: b.name, body: b.name, at: b.com }));
}
