// Joints, drawn as the program's table of kinds says (`drawn`). Each glyph is fixed to a body, or to the ground; what stretches between two bodies (a
// distance) is a span.
import {
  BoxGeometry,
  CylinderGeometry,
  Group,
  Mesh,
  type MeshStandardMaterial,
  type Object3D,
  PlaneGeometry,
  Quaternion,
  SphereGeometry,
  TorusGeometry,
  Vector3,
} from "three";
import { GROUND, type Joint, type Marker, type Scene } from "../common/scene";
import { pulley } from "./belts";
import { camPlate, follower } from "./cams";
import { curve } from "./curve";
import { toothed, toothedPart } from "./gears";
import type { Looks } from "./looks";
import type { Measure } from "./measure";
import { plate } from "./plate";

export interface Glyph {
  body: string;
  object: Object3D;
}

export interface JointDrawing {
  glyphs: Glyph[];
  spans: [Marker, Marker][];
}

export interface Pen {
  scene: Scene;
  size: Measure;
  looks: Looks;
  top: number; // planar: height above all layers
}

export function drawJoint(joint: Joint, pen: Pen): JointDrawing {
  const drawing: JointDrawing = { glyphs: [], spans: [] };
  const [first, second] = joint.markers;
  const put = (marker: Marker | undefined, object: Object3D) => {
    if (marker) drawing.glyphs.push({ body: marker.body, object: placed(object, marker) });
  };
  const u = pen.size.unit;
  const planar = pen.scene.planar;
  switch (joint.drawn) {
    case "pivot":
    case "socket":
      for (const marker of joint.markers) {
        if (marker.body === GROUND) put(marker, support(pen));
      }
      put(moving(joint) ?? first, planar ? pinHead(pen) : joint.drawn === "socket" ? ball(pen) : hinge(pen, 3.4, 1));
      break;
    case "sleeve":
      put(first, hinge(pen, 3.2, 1.25));
      put(second, along(hinge(pen, 11, 0.5), planar));
      break;
    case "slider":
      put(first, along(block(3.2 * u, 1.9 * u, 1.9 * u, pen.looks.metal), planar, planar ? pen.top - u : 0));
      put(second, rail(pen, 1.2, slidingOffset(joint, pen)));
      break;
    case "rail":
      put(first, planar ? pinHead(pen) : ball(pen));
      put(second, rail(pen, 1.2, slidingOffset(joint, pen)));
      break;
    case "curve":
      put(first, planar ? pinHead(pen) : ball(pen));
      put(second, curve(joint, 0.3 * u, pen.looks.ground));
      break;
    case "cross":
      put(first, hinge(pen, 4, 0.55));
      put(second, hinge(pen, 4, 0.55));
      put(first, new Mesh(new SphereGeometry(0.8 * u, 20, 14), pen.looks.bright));
      break;
    case "sheet":
    case "floor":
      put(first, ball(pen));
      put(second, sheet(pen));
      break;
    case "block":
      put(first, block(2.2 * u, 2.2 * u, 1.2 * u, pen.looks.metal, planar ? pen.top - u : 0));
      break;
    case "edge":
      put(first, block(3.6 * u, 0.5 * u, 0.9 * u, pen.looks.metal, planar ? pen.top - u : 0));
      break;
    case "wheel":
    case "belts":
    case "disk":
      put(first, spokes(joint, pen));
      if (planar) put(second, rail(pen, -0.5));
      break;
    case "bar":
      if (first && second) drawing.spans.push([first, second]);
      put(first, planar ? pinHead(pen) : ball(pen));
      put(second, planar ? pinHead(pen) : ball(pen));
      break;
    case "gears":
      drawing.glyphs.push(...gears(joint, pen));
      break;
    case "gear pair":
    case "rack pair":
    case "bevel pair":
    case "worm pair":
      joint.markers.forEach((marker, k) => put(marker, toothedPart(joint, k, pen)));
      break;
    case "belt line":
      joint.markers.forEach((marker, k) => put(marker, pulley(joint.radii?.[k] ?? 0, pen)));
      break;
    case "cam plate":
      put(first, follower(joint, pen));
      put(second, camPlate(joint, pen));
      break;
    case "link":
      drawing.spans.push(...links(joint.of, pen.scene));
      break;
    case "thread":
      put(first, nut(pen));
      put(second, thread(pen));
      break;
    case "constant velocity":
      put(first, along(cup(pen), planar));
      put(second, hinge(pen, 6, 0.55));
      put(second, new Mesh(new SphereGeometry(1.3 * u, 24, 16), pen.looks.bright));
      break;
    default: // couplers of coordinates have no place
      break;
  }
  if (joint.armature) put(moving(joint) ?? first, rotor(joint, pen));
  return drawing;
}

// From joint to joint, where they are apart.
export function links(names: string[], scene: Scene): [Marker, Marker][] {
  const marks = names.map((name) => scene.joints.find((j) => j.name === name)).map((j) => (j ? moving(j) : undefined));
  return marks.slice(1).flatMap((b, k): [Marker, Marker][] => {
    const a = marks[k];
    return a && b ? [[a, b]] : [];
  });
}

export function moving(joint: { markers: Marker[] }): Marker | undefined {
  return joint.markers.find((m) => m.body !== GROUND);
}

// A child of a holder that stands at the marker.
export function placed(object: Object3D, marker: Marker): Object3D {
  const holder = new Group();
  holder.position.set(...marker.at);
  const [w, x, y, z] = marker.q;
  holder.quaternion.set(x, y, z, w);
  holder.add(object);
  return holder;
}

// A cylinder about the marker's z axis.
function hinge(pen: Pen, length: number, radius: number): Mesh {
  const u = pen.size.unit;
  const mesh = new Mesh(new CylinderGeometry(radius * u, radius * u, length * u, 24), pen.looks.metal);
  mesh.rotation.x = Math.PI / 2;
  return mesh;
}

// From the marker's z axis, along which glyphs are made, to its x axis in the plane.
function along(object: Object3D, planar: boolean, height = 0): Object3D {
  const holder = new Group();
  if (!planar) holder.rotation.y = -Math.PI / 2;
  holder.position.z = planar ? height : 0;
  holder.add(object);
  return holder;
}

function block(x: number, y: number, z: number, material: MeshStandardMaterial, height = 0): Object3D {
  const mesh = new Mesh(new BoxGeometry(x, y, z), material);
  mesh.position.z = height;
  return mesh;
}

export function ball(pen: Pen): Object3D {
  return new Mesh(new SphereGeometry(1.15 * pen.size.unit, 24, 16), pen.looks.metal);
}

export function pinHead(pen: Pen): Object3D {
  const u = pen.size.unit;
  const group = new Group();
  const ring = new Mesh(new CylinderGeometry(0.72 * u, 0.72 * u, pen.top + 0.2 * u, 28), pen.looks.metal);
  ring.rotation.x = Math.PI / 2;
  ring.position.z = pen.top / 2;
  const head = new Mesh(new CylinderGeometry(0.42 * u, 0.42 * u, 0.3 * u, 28), pen.looks.bright);
  head.rotation.x = Math.PI / 2;
  head.position.z = pen.top + 0.1 * u;
  group.add(ring, head);
  return group;
}

// Where the ground holds something: a foot with hatching in the plane, a plinth in space.
function support(pen: Pen): Object3D {
  const u = pen.size.unit;
  const group = new Group();
  if (pen.scene.planar) {
    const foot = new Mesh(
      plate(
        [
          [-1.7 * u, -2.9 * u],
          [1.7 * u, -2.9 * u],
          [0, 0],
        ],
        0.35 * u,
        0.3 * u,
      ),
      pen.looks.ground,
    );
    foot.position.z = -0.9 * u;
    group.add(foot, hatching(pen, 6.4 * u, -3.35 * u));
    return group;
  }
  const plinth = new Mesh(new BoxGeometry(2.6 * u, 2.6 * u, 2.6 * u), pen.looks.ground);
  group.add(plinth);
  return group;
}

// A line along x with strokes below it.
function hatching(pen: Pen, length: number, y: number): Object3D {
  const u = pen.size.unit;
  const group = new Group();
  group.add(flat(length, 0.3 * u, 0, y, 0, pen.looks.ground, u));
  const count = Math.max(3, Math.min(60, Math.round(length / (1.3 * u))));
  for (let i = 0; i < count; ++i) {
    const x = -length / 2 + ((i + 0.5) * length) / count;
    group.add(flat(1.25 * u, 0.16 * u, x - 0.3 * u, y - 0.55 * u, Math.PI / 3.2, pen.looks.ground, u));
  }
  return group;
}

function flat(
  w: number,
  height: number,
  x: number,
  y: number,
  turn: number,
  material: MeshStandardMaterial,
  u: number,
): Mesh {
  const mesh = new Mesh(new BoxGeometry(w, height, 0.2 * u), material);
  mesh.position.set(x, y, -0.7 * u);
  mesh.rotation.z = turn;
  return mesh;
}

// What something slides on: along x in the plane, along z in space; its lines `gap` away from the axis.
function rail(pen: Pen, gap: number, offset = 0): Object3D {
  const u = pen.size.unit;
  const length = Math.min(0.9 * pen.size.size, 60 * u);
  if (pen.scene.planar) {
    const group = hatching(pen, length, -Math.abs(gap) * u);
    if (gap > 0) group.add(flat(length, 0.3 * u, 0, gap * u, 0, pen.looks.ground, u));
    group.position.x = offset;
    return group;
  }
  const mesh = new Mesh(new CylinderGeometry(0.45 * u, 0.45 * u, length, 20), pen.looks.ground);
  mesh.rotation.x = Math.PI / 2;
  mesh.position.z = offset;
  return mesh;
}

// How far along its rail something stands at the start: there the rail is drawn.
function slidingOffset(joint: Joint, pen: Pen): number {
  const [slider, guide] = joint.markers;
  if (!slider || !guide || guide.body !== GROUND) return 0;
  const at = new Vector3(...worldAtStart(pen.scene, slider)).sub(new Vector3(...guide.at));
  const [w, x, y, z] = guide.q;
  const axis = pen.scene.planar ? new Vector3(1, 0, 0) : new Vector3(0, 0, 1);
  return axis.applyQuaternion(new Quaternion(x, y, z, w)).dot(at);
}

function sheet(pen: Pen): Object3D {
  const side = 0.5 * pen.size.size;
  return new Mesh(new PlaneGeometry(side, side), pen.looks.glass);
}

// Spokes of a wheel, belts of a ball: its turning shows.
function spokes(joint: Joint, pen: Pen): Object3D {
  const u = pen.size.unit;
  const r = joint.value;
  const group = new Group();
  if (joint.drawn === "belts") {
    for (let k = 0; k < 3; ++k) {
      const belt = new Mesh(new TorusGeometry(r, 0.2 * u, 8, 72), pen.looks.metal);
      if (k === 1) belt.rotation.x = Math.PI / 2;
      if (k === 2) belt.rotation.y = Math.PI / 2;
      group.add(belt);
    }
    return group;
  }
  group.add(new Mesh(new TorusGeometry(r - 0.3 * u, 0.3 * u, 10, 72), pen.looks.metal));
  for (let k = 0; k < 3; ++k) {
    const spoke = new Mesh(new CylinderGeometry(0.28 * u, 0.28 * u, 2 * r - 0.6 * u, 10), pen.looks.metal);
    spoke.rotation.z = (k * Math.PI) / 3;
    group.add(spoke);
  }
  if (pen.scene.planar) group.position.z = pen.top - 0.2 * u;
  return group;
}

// Pitch circles whose radii have the ratio of the speeds, where the two joints are apart.
function gears(joint: Joint, pen: Pen): Glyph[] {
  const hubs = joint.of.map((name) => pen.scene.joints.find((j) => j.name === name));
  const marks = hubs.map((hub) => (hub ? moving(hub) : undefined));
  const [a, b] = marks;
  if (!a || !b || joint.value === 0) return [];
  const start = marks.map((m) => worldAtStart(pen.scene, m as Marker));
  const d = Math.hypot(...[0, 1, 2].map((k) => start[0]![k]! - start[1]![k]!));
  if (!(d > pen.size.unit)) return [];
  const ratio = joint.value;
  const ra = ratio > 0 ? d / (1 + ratio) : d / Math.abs(1 + ratio);
  if (!Number.isFinite(ra)) return [];
  return [a, b].map((marker, k) => {
    const object = placed(toothed(k === 0 ? ra : ra * Math.abs(ratio), pen), marker);
    return { body: marker.body, object };
  });
}

function worldAtStart(scene: Scene, marker: Marker): [number, number, number] {
  const body = scene.bodies.find((b) => b.name === marker.body);
  if (!body) return marker.at;
  const [w, x, y, z] = body.placement.q;
  const [a, b, c] = marker.at;
  // v + 2 w (n × v) + 2 n × (n × v)
  const t = [2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)] as const;
  return [
    a + w * t[0] + y * t[2] - z * t[1] + body.placement.at[0],
    b + w * t[1] + z * t[0] - x * t[2] + body.placement.at[1],
    c + w * t[2] + x * t[1] - y * t[0] + body.placement.at[2],
  ];
}

// A rotor that turns with a joint: a drum with a bright stripe, so that its turning shows.
function rotor(joint: Joint, pen: Pen): Object3D {
  const u = pen.size.unit;
  const group = new Group();
  const drum = new Mesh(new CylinderGeometry(1.7 * u, 1.7 * u, 1.1 * u, 32), pen.looks.metal);
  drum.rotation.x = Math.PI / 2;
  const stripe = new Mesh(new BoxGeometry(3 * u, 0.4 * u, 1.2 * u), pen.looks.bright);
  group.add(drum, stripe);
  const planar = pen.scene.planar;
  group.position.z = planar ? pen.top + 0.4 * u : 2.4 * u;
  return planar && joint.coordinates[0] === "displacement" ? along(group, planar, 0) : group;
}

// Six-sided, about the marker's z axis.
function nut(pen: Pen): Object3D {
  const u = pen.size.unit;
  const mesh = new Mesh(new CylinderGeometry(2 * u, 2 * u, 2.4 * u, 6), pen.looks.metal);
  mesh.rotation.x = Math.PI / 2;
  return mesh;
}

// A spindle along the marker's z axis with the turns of its thread.
function thread(pen: Pen): Object3D {
  const u = pen.size.unit;
  const group = new Group();
  const length = Math.min(0.6 * pen.size.size, 24 * u);
  const core = new Mesh(new CylinderGeometry(0.8 * u, 0.8 * u, length, 20), pen.looks.ground);
  core.rotation.x = Math.PI / 2;
  group.add(core);
  const turns = Math.max(3, Math.min(30, Math.round(length / (1.2 * u))));
  for (let k = 0; k < turns; ++k) {
    const turn = new Mesh(new TorusGeometry(0.95 * u, 0.18 * u, 6, 24), pen.looks.metal);
    turn.position.z = ((k + 0.5) / turns - 0.5) * length;
    turn.rotation.x = 0.15;
    group.add(turn);
  }
  return group;
}

// The outer half of a constant-velocity joint: a bell around the ball, open on one side.
function cup(pen: Pen): Object3D {
  const u = pen.size.unit;
  const bell = new Mesh(new SphereGeometry(1.8 * u, 24, 16, 0, 2 * Math.PI, 0, Math.PI / 2), pen.looks.metal);
  bell.rotation.z = Math.PI / 2;
  return bell;
}
