// The shape that a model gives a body: box, cylinder, sphere, capsule or a mesh of triangles.
import {
  BoxGeometry,
  BufferGeometry,
  CapsuleGeometry,
  CylinderGeometry,
  Float32BufferAttribute,
  Mesh,
  type MeshStandardMaterial,
  SphereGeometry,
} from "three";
import type { BodyShape } from "../common/scene";

// thin: what something without thickness shows. Cylinders and capsules lie along z.
export function solid(shape: BodyShape, thin: number, material: MeshStandardMaterial): Mesh {
  const mesh = new Mesh(geometry(shape, thin), material);
  const [w, x, y, z] = shape.q;
  mesh.position.set(...shape.at);
  mesh.quaternion.set(x, y, z, w);
  return mesh;
}

function geometry(shape: BodyShape, thin: number): BufferGeometry {
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
    case "mesh":
      return surface(shape);
  }
}

// Each triangle with corners of its own, so that edges stay sharp.
function surface(shape: BodyShape): BufferGeometry {
  const corners: number[] = [];
  for (const triangle of shape.triangles ?? [])
    for (const k of triangle) corners.push(...(shape.vertices?.[k] ?? [0, 0, 0]));
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute(corners, 3));
  geometry.computeVertexNormals();
  return geometry;
}
