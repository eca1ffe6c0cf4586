// Glyphs of what acts on a joint or a body: motors, springs about a joint, applied forces and torques.
import {
  ConeGeometry,
  CatmullRomCurve3,
  Group,
  Mesh,
  type MeshStandardMaterial,
  type Object3D,
  SphereGeometry,
  TorusGeometry,
  TubeGeometry,
  Vector3,
} from "three";
import type { Driver, Force, Marker, Scene } from "../common/scene";
import { pulley } from "./belts";
import { type Glyph, moving, placed } from "./joints";
import type { Looks } from "./looks";
import type { Measure } from "./measure";

interface Pen {
  scene: Scene;
  size: Measure;
  looks: Looks;
  top: number;
}

// Where something that acts on a joint or a body by name is drawn.
function placeOf(scene: Scene, name: string): Marker | undefined {
  const joint = scene.joints.find((j) => j.name === name);
  if (joint) return moving(joint);
  const body = scene.bodies.find((b) => b.name === name);
  return body ? { body: name, at: body.kind === "rod" ? [0, 0, 0] : body.com, q: [1, 0, 0, 0] } : undefined;
}

// Whether the joint's coordinate is a displacement.
const slides = (scene: Scene, joint: string) =>
  scene.joints.find((j) => j.name === joint)?.coordinates[0] === "displacement";

// An arrow for what turns, a dot for what pushes. A driver of two points is a cylinder, which is a span (mechanism.ts).
export function drawDriver(driver: Driver, pen: Pen): Glyph[] {
  const marker = moving(driver) ?? placeOf(pen.scene, driver.of);
  if (!marker || driver.markers.length > 1) return [];
  const turns = driver.kind === "angle" || (driver.kind === "joint" && !slides(pen.scene, driver.of));
  return [glyph(marker, turns ? turning(pen, pen.looks.drive) : dot(pen, pen.looks.drive), pen)];
}

export function drawLoad(force: Force, pen: Pen): Glyph[] {
  const of = force.of ? placeOf(pen.scene, force.of) : undefined;
  switch (force.drawn) {
    case "dot":
      return force.markers.map((m) => glyph(m, dot(pen, pen.looks.load), pen));
    case "belt line":
      return force.markers.map((m, k) => ({ body: m.body, object: placed(pulley(force.radii?.[k] ?? 0, pen), m) }));
    case "arc":
      if (!of) return [];
      return [
        glyph(of, slides(pen.scene, force.of ?? "") ? dot(pen, pen.looks.load) : turning(pen, pen.looks.load), pen),
      ];
    case "tendon":
      return pulleys(force, pen);
    case "spiral":
      return of ? [glyph(of, spiral(pen), pen)] : [];
    default:
      return [];
  }
}

// A wheel of the tendon's own radius on each joint that turns.
function pulleys(force: Force, pen: Pen): Glyph[] {
  const u = pen.size.unit;
  return (force.joints ?? []).flatMap((name, k) => {
    const joint = pen.scene.joints.find((j) => j.name === name);
    const marker = joint ? moving(joint) : undefined;
    if (!joint || !marker || joint.coordinates[0] !== "angle") return [];
    const r = Math.min(Math.max(Math.abs(force.coefficients?.[k] ?? 0), u), 0.5 * pen.size.size);
    return [glyph(marker, new Mesh(new TorusGeometry(r, 0.22 * u, 8, 40), pen.looks.spring), pen)];
  });
}

function glyph(marker: Marker, object: Object3D, pen: Pen): Glyph {
  if (pen.scene.planar) object.position.z = pen.top + 0.3 * pen.size.unit;
  return { body: marker.body, object: placed(object, marker) };
}

function dot(pen: Pen, material: MeshStandardMaterial): Object3D {
  return new Mesh(new SphereGeometry(0.6 * pen.size.unit, 16, 12), material);
}

// Three quarters of a circle with an arrow head.
function turning(pen: Pen, material: MeshStandardMaterial): Object3D {
  const u = pen.size.unit;
  const r = 1.9 * u;
  const group = new Group();
  group.add(new Mesh(new TorusGeometry(r, 0.16 * u, 8, 40, 1.5 * Math.PI), material));
  const head = new Mesh(new ConeGeometry(0.5 * u, 1.1 * u, 14), material);
  head.position.set(0.3 * u, -r, 0);
  head.rotation.z = -Math.PI / 2;
  group.add(head);
  return group;
}

function spiral(pen: Pen): Object3D {
  const u = pen.size.unit;
  const points = Array.from({ length: 50 }, (_, i) => {
    const s = i / 49;
    const angle = 5 * Math.PI * s;
    const r = (0.8 + 1.3 * s) * u;
    return new Vector3(r * Math.cos(angle), r * Math.sin(angle), 0);
  });
  return new Mesh(new TubeGeometry(new CatmullRomCurve3(points), 120, 0.14 * u, 6), pen.looks.spring);
}
