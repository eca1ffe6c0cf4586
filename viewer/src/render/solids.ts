// Shapes that a model gives: box, cylinder, sphere, capsule, ellipsoid, bar, or a mesh of triangles.
import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  CylinderGeometry,
  Group,
  Mesh,
  type MeshStandardMaterial,
  Quaternion,
  SphereGeometry,
  Vector3,
} from "three";
import { toCreasedNormals } from "three/addons/utils/BufferGeometryUtils.js";
import type { BodyShape, Surface } from "../common/scene";
import { plate } from "./plate";

// Edges sharper than this stay edges, rad.
const CREASE = 0.6;
// Finer surfaces are left with one normal a triangle: smoothing them takes long and shows little.
const SMOOTHED = 30_000;

// thin: what something without thickness shows. Cylinders and capsules lie along z.
export function solids(
  shapes: BodyShape[],
  meshes: Surface[],
  thin: number,
  material: (shape: BodyShape) => MeshStandardMaterial,
): Group {
  const group = new Group();
  for (const shape of shapes) {
    const mesh = new Mesh(geometry(shape, meshes, thin), material(shape));
    const [w, x, y, z] = shape.q;
    mesh.position.set(...shape.at);
    mesh.quaternion.set(x, y, z, w);
    group.add(mesh);
  }
  return group;
}

// Of the box around a shape, in the body's axes.
export function corners(shape: BodyShape, meshes: Surface[]): Vector3[] {
  const surface = shape.mesh === undefined ? undefined : meshes[shape.mesh];
  if (shape.kind === "mesh" && !surface) return [];
  const half = halfSides(shape);
  const low = surface?.low ?? half.map((x) => -x);
  const high = surface?.high ?? half;
  const [w, x, y, z] = shape.q;
  const turn = new Quaternion(x, y, z, w);
  const found: Vector3[] = [];
  for (let k = 0; k < 8; ++k) {
    const corner = [0, 1, 2].map((i) => ((k >> i) & 1 ? high[i] : low[i]) as number);
    found.push(new Vector3(...corner).applyQuaternion(turn).add(new Vector3(...shape.at)));
  }
  return found;
}

function halfSides(shape: BodyShape): number[] {
  const [a, b, c] = shape.size;
  switch (shape.kind) {
    case "box":
      return [a / 2, b / 2, c / 2];
    case "cylinder":
      return [a, a, b / 2];
    case "sphere":
      return [a, a, a];
    case "capsule":
      return [a, a, a + b / 2];
    case "ellipsoid":
      return [a, b, c];
    case "bar":
      return [(a + b) / 2, b / 2, c / 2];
    case "mesh":
      return [0, 0, 0];
  }
}

function geometry(shape: BodyShape, meshes: Surface[], thin: number): BufferGeometry {
  const [a, b, c] = shape.size;
  switch (shape.kind) {
    case "box":
      return new BoxGeometry(a, b, c || thin);
    case "cylinder":
      return new CylinderGeometry(a, a, b || thin, 48).rotateX(Math.PI / 2);
    case "sphere":
      return new SphereGeometry(a, 48, 32);
    case "capsule":
      return new CapsuleGeometry(a, b, 12, 32).rotateX(Math.PI / 2);
    case "ellipsoid":
      return new SphereGeometry(1, 48, 32).scale(a, b, c);
    case "bar": {
      const ends: [number, number][] = [
        [-a / 2, 0],
        [a / 2, 0],
      ];
      return plate(ends, b / 2, c || thin).center();
    }
    case "mesh":
      return surfaceGeometry(meshes[shape.mesh as number] as Surface);
  }
}

function surfaceGeometry(surface: Surface): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(bytes(surface.positions)), 3));
  geometry.setIndex(new BufferAttribute(new Uint32Array(bytes(surface.corners)), 1));
  const triangles = (geometry.index?.count ?? 0) / 3;
  if (triangles < SMOOTHED) return toCreasedNormals(geometry, CREASE);
  const flat = geometry.toNonIndexed();
  flat.computeVertexNormals();
  return flat;
}

function bytes(base64: string): ArrayBuffer {
  return Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)).buffer as ArrayBuffer;
}
