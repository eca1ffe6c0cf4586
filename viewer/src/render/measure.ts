// How large the mechanism is, and what size its glyphs take.
import { Box3, Quaternion, Vector3 } from "three";
import { type Marker, type Scene, GROUND } from "../common/scene";
import { corners } from "./solids";

export interface Measure {
  box: Box3; // everything, at the start, or over a whole motion that is known
  size: number; // its diagonal, m
  unit: number; // half the width of a link, m
  arrow: number; // length of the longest arrow, m
  up: Vector3;
  floor: number; // where the ground plane is drawn, along up (space)
}

export function measure(scene: Scene, motion?: Box3): Measure {
  const box = new Box3();
  const at = new Vector3();
  const q = new Quaternion();
  const lengths: number[] = [];
  for (const body of scene.bodies) {
    const { at: p, q: r } = body.placement;
    q.set(r[1], r[2], r[3], r[0]);
    const local = [body.com, [0, 0, 0], ...Object.values(body.points)];
    if (body.kind === "rod") local.push([body.length, 0, 0]);
    for (const x of local)
      box.expandByPoint(
        at
          .fromArray(x)
          .applyQuaternion(q)
          .add(new Vector3(...p)),
      );
    const reach = bodyReach(scene, body.name);
    if (reach > 0) lengths.push(reach);
    at.fromArray(body.com)
      .applyQuaternion(q)
      .add(new Vector3(...p));
    for (const shape of body.drawn ?? [])
      for (const corner of corners(shape, scene.meshes))
        box.expandByPoint(corner.applyQuaternion(q).add(new Vector3(...p)));
    // Of a body that is held in several places these tell its size.
    const held = attachments(scene, body.name).length > 1;
    const r0 = body.drawn || held ? 0 : Math.max(...body.size.half);
    if (r0 > 0) box.union(new Box3(at.clone().subScalar(r0), at.clone().addScalar(r0)));
  }
  for (const marker of grounded(scene)) box.expandByPoint(at.fromArray(marker.at));
  if (box.isEmpty()) box.set(new Vector3(-1, -1, 0), new Vector3(1, 1, 0));
  const still = box.getSize(at).length() || 1;
  if (motion) box.union(motion);
  const size = box.getSize(at).length() || 1;
  lengths.sort((a, b) => a - b);
  const typical = lengths.length ? (lengths[Math.floor(lengths.length / 2)] as number) : still;
  const unit = Math.max(Math.min(0.028 * still, 0.065 * typical), 0.004 * size);
  const up = upAxis(scene);
  return {
    box,
    size,
    unit,
    arrow: Math.min(0.2 * size, typical),
    up,
    floor: floorLevel(scene, box, up, size),
  };
}

// The longest extent of a body between places that something is fixed to.
function bodyReach(scene: Scene, name: string): number {
  const body = scene.bodies.find((b) => b.name === name);
  if (!body) return 0;
  if (body.kind === "rod") return body.length;
  const places = attachments(scene, name).map((p) => new Vector3(...p));
  let reach = 2 * Math.max(...body.size.half);
  for (const p of places) reach = Math.max(reach, ...places.map((r) => r.distanceTo(p)));
  return reach;
}

// Where joints and forces hold a body, in its axes, each place once.
export function attachments(scene: Scene, name: string): [number, number, number][] {
  const found: [number, number, number][] = [];
  const add = (m: Marker) => {
    if (m.body !== name) return;
    if (!found.some((p) => Math.hypot(p[0] - m.at[0], p[1] - m.at[1], p[2] - m.at[2]) < 1e-9)) found.push(m.at);
  };
  for (const joint of scene.joints) joint.markers.forEach(add);
  for (const force of scene.forces) force.markers.forEach(add);
  for (const driver of scene.drivers) driver.markers.forEach(add);
  for (const point of scene.points) point.on.forEach(add);
  const body = scene.bodies.find((b) => b.name === name);
  for (const at of Object.values(body?.points ?? {})) add({ body: name, at, q: [1, 0, 0, 0] });
  return found;
}

function grounded(scene: Scene): Marker[] {
  const all = [...scene.joints, ...scene.forces, ...scene.drivers].flatMap((part) => part.markers);
  return all.filter((m) => m.body === GROUND);
}

function upAxis(scene: Scene): Vector3 {
  if (scene.planar) return new Vector3(0, 1, 0);
  const g = new Vector3(...scene.gravity);
  const size = [Math.abs(g.x), Math.abs(g.y), Math.abs(g.z)];
  const k = size.indexOf(Math.max(...size));
  if (!(g.length() > 0) || k === 2) return new Vector3(0, 0, g.z > 0 ? -1 : 1);
  const up = new Vector3().setComponent(k, -Math.sign(g.getComponent(k)));
  return up;
}

// A plane that something rolls or rests on; else below the mechanism, with room to swing.
function floorLevel(scene: Scene, box: Box3, up: Vector3, size: number): number {
  for (const joint of scene.joints) {
    const plane = joint.markers[1];
    if (!["wheel", "belts", "disk", "floor"].includes(joint.drawn) || plane?.body !== GROUND) continue;
    const normal = new Vector3(0, 0, 1).applyQuaternion(new Quaternion(plane.q[1], plane.q[2], plane.q[3], plane.q[0]));
    if (Math.abs(normal.dot(up)) > 0.99) return new Vector3(...plane.at).dot(up);
  }
  const low = Math.min(box.min.dot(up), box.max.dot(up));
  return low - 0.25 * size;
}
