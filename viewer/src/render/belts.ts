// Belts: straight lines that touch both pulleys, and the arcs between them, found anew for every picture.
import {
  BoxGeometry,
  CylinderGeometry,
  Group,
  type Material,
  type Mesh,
  type Object3D,
  Mesh as Solid,
  TorusGeometry,
  Vector3,
} from "three";
import type { Marker } from "../common/scene";
import type { Pen } from "./joints";
import { rodGeometry, Span } from "./spans";

export interface BeltSpan {
  from: Marker;
  to: Marker;
  radii: [number, number]; // positive where the belt runs counterclockwise
}

// Where a marker is, and its z axis.
export type PlaceOf = (marker: Marker, at: Vector3, axis: Vector3) => void;

const ARC_PARTS = 20;

// A wheel with a rim on which the belt lies.
export function pulley(radius: number, pen: Pen): Object3D {
  const u = pen.size.unit;
  const r = Math.abs(radius);
  const group = new Group();
  const rim = Math.max(r - 0.3 * u, 0.3 * r);
  group.add(new Solid(new TorusGeometry(rim, Math.min(0.25 * u, 0.3 * r), 8, 64), pen.looks.metal));
  const hub = new Solid(new CylinderGeometry(0.25 * r, 0.25 * r, 0.5 * u, 24), pen.looks.metal);
  hub.rotation.x = Math.PI / 2;
  group.add(hub);
  for (let k = 0; k < 2; ++k) {
    const spoke = new Solid(new BoxGeometry(2 * rim, 0.25 * u, 0.3 * u), pen.looks.metal);
    spoke.rotation.z = (k * Math.PI) / 2;
    group.add(spoke);
  }
  if (pen.scene.planar) group.position.z = pen.top - u;
  return group;
}

interface Tangent {
  leaves: Vector3;
  comes: Vector3;
  axis: Vector3;
}

// u at the angle asin(ρ/|d|) from d, ρ = R₁ − R₂; it touches at c + R (u × z).
export function tangent(first: Vector3, second: Vector3, axis: Vector3, [r1, r2]: [number, number]): Tangent {
  const d = second.clone().sub(first);
  d.addScaledVector(axis, -d.dot(axis));
  const distance = d.length();
  const rho = r1 - r2;
  const length = Math.sqrt(Math.max(distance * distance - rho * rho, 0));
  const across = axis.clone().cross(d);
  const along = d.multiplyScalar(length).addScaledVector(across, rho).normalize();
  const right = along.cross(axis);
  return {
    leaves: first.clone().addScaledVector(right, r1),
    comes: second.clone().addScaledVector(right, r2),
    axis: axis.clone(),
  };
}

const same = (a: Marker, b: Marker) => a.body === b.body && a.at.every((x, i) => Math.abs(x - b.at[i]!) < 1e-12);

// All spans of a mechanism; an arc joins a span that comes to a pulley to the next that leaves it.
export class Belts {
  readonly meshes: Mesh[][] = []; // by span: its line, and the arc at its end
  private readonly lines: Span[] = [];
  private readonly arcs: { before: number; after: number; parts: Span[] }[] = [];
  private readonly first = new Vector3();
  private readonly second = new Vector3();
  private readonly axis = new Vector3();
  private readonly other = new Vector3();

  constructor(
    private readonly spans: BeltSpan[],
    material: Material,
    width: number,
    private readonly height: number, // planar: above all layers
  ) {
    const line = () => new Span(rodGeometry(), material, width);
    spans.forEach((span, k) => {
      this.lines.push(line());
      this.meshes.push([this.lines[k]!.mesh]);
      const after = spans.findIndex(
        (next, n) => n !== k && same(next.from, span.to) && next.radii[0] === span.radii[1],
      );
      if (after < 0) return;
      const parts = Array.from({ length: ARC_PARTS }, line);
      this.arcs.push({ before: k, after, parts });
      this.meshes[k]!.push(...parts.map((part) => part.mesh));
    });
  }

  update(place: PlaceOf): void {
    const tangents = this.spans.map(({ from, to, radii }) => {
      place(to, this.second, this.other);
      place(from, this.first, this.axis);
      return tangent(this.first, this.second, this.axis, radii);
    });
    tangents.forEach(({ leaves, comes, axis }, k) => this.draw(this.lines[k]!, leaves, comes, axis));
    for (const { before, after, parts } of this.arcs) {
      const { to, radii } = this.spans[before]!;
      place(to, this.second, this.axis);
      this.bend(parts, tangents[before]!.comes, tangents[after]!.leaves, radii[1]);
    }
  }

  // From one place of the pulley to another, in the sense in which the belt runs.
  private bend(parts: Span[], from: Vector3, to: Vector3, radius: number): void {
    const centre = this.second.clone();
    const axis = this.axis.clone();
    const a = from.clone().sub(centre);
    const b = to.clone().sub(centre);
    const sense = Math.sign(radius);
    let angle = sense * Math.atan2(a.clone().cross(b).dot(axis), a.dot(b));
    if (angle < 0) angle += 2 * Math.PI;
    let last = from;
    parts.forEach((part, k) => {
      const turn = (sense * angle * (k + 1)) / parts.length;
      const next = a.clone().applyAxisAngle(axis, turn).add(centre);
      this.draw(part, last, next, axis);
      last = next;
    });
  }

  private draw(span: Span, from: Vector3, to: Vector3, axis: Vector3): void {
    span.stretch(from.clone().addScaledVector(axis, this.height), to.clone().addScaledVector(axis, this.height));
    span.mesh.matrixWorldNeedsUpdate = true;
  }
}
