// The shape of a body: links and plates in the plane, capsules and boxes in space.
import {
  BoxGeometry,
  CapsuleGeometry,
  CylinderGeometry,
  Group,
  Mesh,
  type MeshStandardMaterial,
  Quaternion,
  SphereGeometry,
  Vector3,
} from "three";
import type { Body, Scene, Triple } from "../common/scene";
import type { Looks, Paints } from "./looks";
import { attachments, type Measure } from "./measure";
import { plate } from "./plate";
import { solids } from "./solids";
import { addTruss } from "./truss";

const X = new Vector3(1, 0, 0);
const Y = new Vector3(0, 1, 0);

// In the plane, bodies that share a joint lie in different layers, as real links do.
export function layers(scene: Scene): Map<string, number> {
  const neighbours = new Map<string, Set<string>>();
  for (const joint of scene.joints) {
    for (const a of joint.markers) {
      for (const b of joint.markers) {
        if (a.body !== b.body) (neighbours.get(a.body) ?? neighbours.set(a.body, new Set()).get(a.body))?.add(b.body);
      }
    }
  }
  const layer = new Map<string, number>();
  for (const { name } of scene.bodies) {
    const taken = new Set([...(neighbours.get(name) ?? [])].map((n) => layer.get(n)));
    let free = 0;
    while (taken.has(free) && free < 5) ++free;
    layer.set(name, free);
  }
  return layer;
}

export function bodyShape(
  scene: Scene,
  body: Body,
  size: Measure,
  material: MeshStandardMaterial,
  looks: Looks,
  paints: Paints,
  layer: number,
): Group {
  const given = (body.drawn ?? (body.shape ? [body.shape] : [])).filter((shape) => !shape.missing);
  const group = given.length
    ? layered(
        solids(given, scene.meshes, 0.8 * size.unit, (shape) => (shape.colour ? paints.of(shape.colour) : material)),
        scene.planar ? (layer + 0.4) * size.unit : 0,
      )
    : scene.planar
      ? planarBody(scene, body, size, material, layer)
      : spatialBody(scene, body, size, material);
  if (body.kind === "rigid") group.add(centreOfMass(body, size, looks, scene.planar ? (layer + 1.05) * size.unit : 0));
  return group;
}

function layered(group: Group, height: number): Group {
  for (const part of group.children) part.position.z += height;
  return group;
}

function planarBody(scene: Scene, body: Body, size: Measure, material: MeshStandardMaterial, layer: number): Group {
  const u = size.unit;
  const group = new Group();
  const wheel = rollingRadius(scene, body.name);
  const places: Triple[] = attachments(scene, body.name);
  let radius = u;
  if (body.kind === "rod") places.push([0, 0, 0], [body.length, 0, 0]);
  if (body.kind === "point-mass") {
    radius = 1.9 * u;
    places.length = 0;
    places.push([0, 0, 0]);
  }
  if (body.kind === "rigid") {
    places.push(body.com);
    // a body held in one place only shows the disk of its inertia
    if (spread(places) < 0.5 * u) radius = Math.max(1.5 * u, Math.min(body.size.half[0], 0.4 * size.size));
  }
  if (wheel) {
    radius = wheel.radius;
    places.length = 0;
    places.push(wheel.at);
  }
  const geometry = plate(hull(places), radius, 0.8 * u);
  geometry.translate(0, 0, layer * u);
  group.add(new Mesh(geometry, material));
  return group;
}

function spatialBody(scene: Scene, body: Body, size: Measure, material: MeshStandardMaterial): Group {
  const u = size.unit;
  const group = new Group();
  const link = (a: Vector3, b: Vector3, r: number) => group.add(capsule(a, b, r, material));
  if (body.kind === "rod") {
    link(new Vector3(), new Vector3(body.length, 0, 0), 0.8 * u);
    return group;
  }
  if (body.kind === "point-mass") {
    group.add(new Mesh(new SphereGeometry(2 * u, 24, 16), material));
    return group;
  }
  const wheel = rollingRadius(scene, body.name);
  if (wheel) {
    group.add(roller(wheel, u, material));
    return group;
  }
  const com = new Vector3(...body.com);
  const places = attachments(scene, body.name).map((p) => new Vector3(...p));
  const [w, x, y, z] = body.size.q;
  const axes = new Quaternion(x, y, z, w);
  const half = new Vector3(...body.size.half);
  const inside = (p: Vector3) => {
    const d = p.clone().sub(com).applyQuaternion(axes.clone().invert());
    return [0, 1, 2].every((k) => Math.abs(d.getComponent(k)) <= 1.3 * half.getComponent(k) + 1.5 * u);
  };
  const longest = Math.max(half.x, half.y, half.z);
  // equal moments are a placeholder more often than a cube
  const shapeless = longest - Math.min(half.x, half.y, half.z) < 0.01 * longest && places.length > 1;
  const reach = Math.max(0, ...places.map((p) => p.distanceTo(com)));
  // A box around other bodies would hide them: then bars between the places that are held.
  if (places.length > 2 && hidesOthers(scene, body, inside)) {
    addTruss(group, places, 0.5 * u, material);
    return group;
  }
  // The box of the inertia shows the body where its joints lie on it, or where nothing better is known.
  if (!shapeless && longest > 0.5 * u && (places.every(inside) || reach < 0.5 * longest)) {
    const side = (k: number) => Math.max(2 * half.getComponent(k), 0.4 * u);
    const box = new Mesh(new BoxGeometry(side(0), side(1), side(2)), material);
    box.position.copy(com);
    box.quaternion.copy(axes);
    group.add(box);
  } else if (places.length === 0) {
    group.add(
      new Mesh(new SphereGeometry(2 * u, 24, 16), material).translateX(com.x).translateY(com.y).translateZ(com.z),
    );
  }
  for (const p of places) if (shapeless || !inside(p) || longest <= 0.5 * u) link(com, p, 0.8 * u);
  return group;
}

interface Wheel {
  at: Triple;
  q: [number, number, number, number];
  radius: number;
  thin: boolean;
}

// A body that rolls is drawn as what rolls.
function rollingRadius(scene: Scene, name: string): Wheel | null {
  for (const joint of scene.joints) {
    const marker = joint.markers[0];
    if (!["wheel", "belts", "disk"].includes(joint.drawn) || marker?.body !== name || !(joint.value > 0)) continue;
    return { at: marker.at, q: marker.q, radius: joint.value, thin: joint.drawn === "disk" };
  }
  return null;
}

// Whether the middle of another body lies in a body, as they are placed at the start.
function hidesOthers(scene: Scene, body: Body, inside: (p: Vector3) => boolean): boolean {
  const turn = ({ q: [w, x, y, z] }: Body["placement"]) => new Quaternion(x, y, z, w);
  const back = turn(body.placement).invert();
  return scene.bodies.some((other) => {
    if (other === body) return false;
    const world = new Vector3(...other.com).applyQuaternion(turn(other.placement));
    world.add(new Vector3(...other.placement.at)).sub(new Vector3(...body.placement.at));
    return inside(world.applyQuaternion(back));
  });
}

function roller(wheel: Wheel, u: number, material: MeshStandardMaterial): Group {
  const { at, q, radius, thin } = wheel;
  const holder = new Group();
  const shape = thin
    ? new CylinderGeometry(radius, radius, 0.5 * u, 56).rotateX(Math.PI / 2)
    : new SphereGeometry(radius, 48, 32);
  holder.add(new Mesh(shape, material));
  holder.position.set(...at);
  holder.quaternion.set(q[1], q[2], q[3], q[0]);
  return holder;
}

// A dark and a bright half, so that the turning of a round body shows.
function centreOfMass(body: Body, size: Measure, looks: Looks, height: number): Group {
  const group = new Group();
  const r = 0.55 * size.unit;
  for (let k = 0; k < 4; ++k) {
    const quarter = new CylinderGeometry(r, r, 0.2 * size.unit, 12, 1, false, (k * Math.PI) / 2, Math.PI / 2);
    const mesh = new Mesh(quarter, k % 2 ? looks.bright : looks.metal);
    mesh.rotation.x = Math.PI / 2;
    group.add(mesh);
  }
  group.position.set(body.com[0], body.com[1], body.com[2] + height);
  return group;
}

export function capsule(a: Vector3, b: Vector3, radius: number, material: MeshStandardMaterial): Mesh {
  const length = a.distanceTo(b);
  const mesh = new Mesh(new CapsuleGeometry(radius, length, 6, 16), material);
  mesh.position.copy(a).lerp(b, 0.5);
  const along = length > 0 ? b.clone().sub(a).divideScalar(length) : X;
  mesh.quaternion.setFromUnitVectors(Y, along);
  return mesh;
}

function spread(places: Triple[]): number {
  let most = 0;
  for (const a of places) for (const b of places) most = Math.max(most, Math.hypot(a[0] - b[0], a[1] - b[1]));
  return most;
}

// Andrew's monotone chain, counter-clockwise.
export function hull(points: Triple[]): [number, number][] {
  const sorted = points.map(([x, y]) => [x, y] as [number, number]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const unique = sorted.filter(
    (p, i) => i === 0 || Math.hypot(p[0] - sorted[i - 1]![0], p[1] - sorted[i - 1]![1]) > 1e-12,
  );
  if (unique.length < 3) return unique;
  const half = (list: [number, number][]) => {
    const chain: [number, number][] = [];
    for (const p of list) {
      while (chain.length >= 2 && turn(chain[chain.length - 2]!, chain[chain.length - 1]!, p) <= 0) chain.pop();
      chain.push(p);
    }
    return chain.slice(0, -1);
  };
  return [...half(unique), ...half([...unique].reverse())];
}

function turn(a: [number, number], b: [number, number], c: [number, number]): number {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}
