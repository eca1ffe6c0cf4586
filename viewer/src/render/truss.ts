// A body in space that is known by the places where something holds it: bars along the edges of their convex hull.
import { type Group, type MeshStandardMaterial, Vector3 } from "three";
import { ConvexHull } from "three/addons/math/ConvexHull.js";
import { capsule } from "./bodies";

const FLAT = 1e-6; // of its size: thinner than that it is a plate

export function addTruss(group: Group, places: Vector3[], radius: number, material: MeshStandardMaterial): void {
  for (const [a, b] of edges(places)) group.add(capsule(a, b, radius, material));
}

// Pairs of places that bars join.
export function edges(places: Vector3[]): [Vector3, Vector3][] {
  if (places.length < 4) return places.flatMap((a, i) => places.slice(i + 1).map((b): [Vector3, Vector3] => [a, b]));
  if (isFlat(places)) return around(places);
  const found = new Map<string, [Vector3, Vector3]>();
  const index = new Map(places.map((p, i) => [p, i]));
  for (const face of new ConvexHull().setFromPoints(places).faces) {
    let edge = face.edge;
    do {
      const [a, b] = [edge.tail()!.point, edge.head().point];
      const key = [index.get(a)!, index.get(b)!].sort((x, y) => x - y).join(" ");
      // between faces of one plane there is no edge to see
      if (edge.twin.face.normal.dot(face.normal) < 1 - 1e-9) found.set(key, [a, b]);
      edge = edge.next;
    } while (edge !== face.edge);
  }
  return [...found.values()];
}

function planeOf(places: Vector3[]): { normal: Vector3; middle: Vector3; size: number } {
  const middle = places.reduce((sum, p) => sum.add(p), new Vector3()).divideScalar(places.length);
  const size = Math.max(...places.map((p) => p.distanceTo(middle)));
  const normal = new Vector3();
  const [d, e] = [new Vector3(), new Vector3()];
  for (const a of places)
    for (const b of places) {
      d.crossVectors(e.subVectors(a, middle), b.clone().sub(middle));
      if (d.length() > normal.length()) normal.copy(d);
    }
  return { normal: normal.normalize(), middle, size };
}

function isFlat(places: Vector3[]): boolean {
  const { normal, middle, size } = planeOf(places);
  return places.every((p) => Math.abs(p.clone().sub(middle).dot(normal)) <= FLAT * size + 1e-12);
}

// Of places in one plane, one after the other around their middle; on a line from end to end.
function around(places: Vector3[]): [Vector3, Vector3][] {
  const { normal, middle } = planeOf(places);
  if (normal.length() < 0.5) {
    const along = places.map((p) => p.clone().sub(places[0]!)).sort((a, b) => b.length() - a.length())[0]!;
    const sorted = [...places].sort((a, b) => a.dot(along) - b.dot(along));
    return [[sorted[0]!, sorted[sorted.length - 1]!]];
  }
  const x = places[0]!.clone().sub(middle).projectOnPlane(normal).normalize();
  const y = new Vector3().crossVectors(normal, x);
  const angle = (p: Vector3) => Math.atan2(p.clone().sub(middle).dot(y), p.clone().sub(middle).dot(x));
  const sorted = [...places].sort((a, b) => angle(a) - angle(b));
  return sorted.map((p, i) => [p, sorted[(i + 1) % sorted.length]!]);
}
