// Gears with teeth, racks, bevel gears, worms: about the marker's z axis; a rack lies along its x axis.
import {
  BoxGeometry,
  CatmullRomCurve3,
  CylinderGeometry,
  Group,
  Mesh,
  type Object3D,
  TorusGeometry,
  TubeGeometry,
  Vector3,
} from "three";
import type { Joint } from "../common/scene";
import type { Pen } from "./joints";

export function toothedPart(joint: Joint, k: number, pen: Pen): Object3D {
  const r = joint.radii?.[k] ?? null;
  if (joint.drawn === "rack pair" && k === 1) return rack(joint.radii?.[0] ?? 0, pen);
  if (r === null) return new Group();
  if (joint.drawn === "bevel pair" && joint.cones) return bevel(r, joint.cones[k]!, pen);
  if (joint.drawn === "worm pair" && k === 0) return worm(r, joint.helix ?? 0, joint.radii?.[1] ?? r, pen);
  return toothed(Math.abs(r), pen, r < 0);
}

const teethOf = (r: number, u: number) => Math.max(8, Math.min(90, Math.round((2 * Math.PI * r) / (1.6 * u))));

// inside: a ring whose teeth point to its centre.
export function toothed(r: number, pen: Pen, inside = false): Object3D {
  const u = pen.size.unit;
  const group = new Group();
  const rim = inside ? r + 0.45 * u : Math.max(r - 0.25 * u, 0.3 * u);
  group.add(new Mesh(new TorusGeometry(rim, 0.25 * u, 8, 64), pen.looks.metal));
  const count = teethOf(r, u);
  const width = pen.scene.planar ? 0.4 * u : 1.2 * u;
  for (let k = 0; k < count; ++k) {
    const tooth = new Mesh(new BoxGeometry(0.5 * u, 0.5 * u, width), pen.looks.metal);
    const angle = (2 * Math.PI * k) / count;
    tooth.position.set(r * Math.cos(angle), r * Math.sin(angle), 0);
    tooth.rotation.z = angle;
    group.add(tooth);
  }
  if (pen.scene.planar) group.position.z = pen.top - u;
  return group;
}

// Along the marker's x axis, as long as one turn of its pinion.
function rack(radius: number, pen: Pen): Object3D {
  const u = pen.size.unit;
  const group = new Group();
  const length = Math.min(2 * Math.PI * radius, pen.size.size);
  const bar = new Mesh(new BoxGeometry(length, 0.5 * u, 0.4 * u), pen.looks.metal);
  group.add(bar);
  const count = Math.max(4, Math.min(90, Math.round(length / (1.6 * u))));
  for (let k = 0; k < count; ++k) {
    const tooth = new Mesh(new BoxGeometry(0.5 * u, 1.1 * u, 0.4 * u), pen.looks.metal);
    tooth.position.x = ((k + 0.5) / count - 0.5) * length;
    group.add(tooth);
  }
  if (pen.scene.planar) group.position.z = pen.top - u;
  return group;
}

// A part of a cone whose apex is the marker: r its radius in the middle of the teeth, half its opening angle given.
function bevel(r: number, cone: number, pen: Pen): Object3D {
  const u = pen.size.unit;
  const group = new Group();
  const middle = r / Math.tan(cone);
  const width = Math.min(2 * u, (0.5 * r) / Math.sin(cone)); // along the cone
  const high = width * Math.cos(cone);
  const wide = width * Math.sin(cone);
  const body = new Mesh(
    new CylinderGeometry(r + wide / 2 - 0.3 * u, Math.max(r - wide / 2 - 0.3 * u, 0.1 * r), high, 48),
    pen.looks.metal,
  );
  body.rotation.x = Math.PI / 2; // its wide end away from the apex
  body.position.z = middle;
  group.add(body);
  const count = teethOf(r, u);
  for (let k = 0; k < count; ++k) {
    const holder = new Group();
    const tooth = new Mesh(new BoxGeometry(0.6 * u, 0.5 * u, width), pen.looks.bright);
    tooth.position.set(r, 0, middle);
    tooth.rotation.y = cone;
    holder.rotation.z = (2 * Math.PI * k) / count;
    holder.add(tooth);
    group.add(holder);
  }
  return group;
}

// A shaft with a thread of the given lead angle, as long as it takes to pass its wheel.
function worm(r: number, lead: number, wheel: number, pen: Pen): Object3D {
  const u = pen.size.unit;
  const group = new Group();
  const length = Math.max(3 * r, 1.2 * Math.abs(wheel));
  const thread = Math.min(0.35 * u, 0.2 * r);
  const core = new Mesh(new CylinderGeometry(0.8 * r, 0.8 * r, length, 32), pen.looks.metal);
  core.rotation.x = Math.PI / 2;
  group.add(core);
  const rise = r * Math.tan(lead); // for one radian; negative: left-handed
  const half = Math.min(length / 2 / Math.abs(rise), 40 * Math.PI);
  const steps = Math.ceil((2 * half) / 0.3);
  const points = Array.from({ length: steps + 1 }, (_, i) => {
    const angle = -half + (2 * half * i) / steps;
    return new Vector3(r * Math.cos(angle), r * Math.sin(angle), rise * angle);
  });
  group.add(new Mesh(new TubeGeometry(new CatmullRomCurve3(points), 2 * steps, thread, 6), pen.looks.bright));
  return group;
}
