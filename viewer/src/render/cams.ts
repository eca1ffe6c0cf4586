// Cams: the outline as a plate, and what follows it: a roller, a flat face or a point.
import {
  BoxGeometry,
  CylinderGeometry,
  ExtrudeGeometry,
  Group,
  Mesh,
  type Object3D,
  Shape,
  TorusGeometry,
} from "three";
import { GROUND } from "../common/scene";
import { type CurvedJoint, curve } from "./curve";
import { ball, type Pen, pinHead } from "./joints";

// A closed outline of a body that moves is filled; what is fixed, or open, is drawn as a line.
export function camPlate(joint: CurvedJoint, pen: Pen): Object3D {
  const u = pen.size.unit;
  const path = joint.path ?? [];
  const [first, last] = [path[0], path.at(-1)];
  const closed = first && last && first.every((x, i) => x === last[i]);
  const group = new Group();
  group.add(curve(joint, 0.18 * u, pen.looks.metal));
  if (closed && !joint.inside && joint.markers[1]?.body !== GROUND) {
    const shape = new Shape();
    path.forEach(([x, y], i) => (i === 0 ? shape.moveTo(x, y) : shape.lineTo(x, y)));
    const depth = 0.7 * u;
    const plate = new Mesh(new ExtrudeGeometry(shape, { depth, bevelEnabled: false }), pen.looks.ground);
    plate.position.z = -depth / 2;
    group.add(plate);
  }
  if (pen.scene.planar) group.position.z = pen.top - u;
  return group;
}

export function follower(joint: CurvedJoint, pen: Pen): Object3D {
  const u = pen.size.unit;
  const planar = pen.scene.planar;
  const group = new Group();
  if (joint.face) {
    // across the marker's x axis, which points to the cam
    const size = Math.max(...(joint.path ?? []).map(([x, y]) => Math.hypot(x, y)), 2 * u);
    const block = new Mesh(new BoxGeometry(0.5 * u, 1.4 * size, 1.2 * u), pen.looks.metal);
    block.position.x = -0.25 * u;
    group.add(block);
  } else if (joint.value > 0) {
    const r = joint.value;
    const roller = new Mesh(new CylinderGeometry(0.85 * r, 0.85 * r, 0.9 * u, 36), pen.looks.bright);
    roller.rotation.x = Math.PI / 2;
    group.add(roller, new Mesh(new TorusGeometry(0.9 * r, 0.1 * r, 8, 48), pen.looks.metal));
    const [w, x, y, z] = joint.markers[1]?.q ?? [1, 0, 0, 0];
    if (!planar) group.quaternion.set(x, y, z, w); // its axis is that of the cam
  } else {
    return planar ? pinHead(pen) : ball(pen);
  }
  if (planar) group.position.z = pen.top - u;
  return group;
}
