// What stretches between two places that move: springs as coils, distances as thin rods, driven distances as cylinders.
import {
  type BufferGeometry,
  CatmullRomCurve3,
  CylinderGeometry,
  LatheGeometry,
  Mesh,
  type Material,
  TubeGeometry,
  Vector2,
  Vector3,
} from "three";

const Y = new Vector3(0, 1, 0);
const along = new Vector3();

// Geometry from (0, 0, 0) to (0, 1, 0), stretched along y.
export class Span {
  readonly mesh: Mesh;
  constructor(
    geometry: BufferGeometry,
    material: Material,
    private readonly width: number,
  ) {
    this.mesh = new Mesh(geometry, material);
    this.mesh.matrixAutoUpdate = false;
  }

  stretch(a: Vector3, b: Vector3): void {
    const { mesh } = this;
    along.subVectors(b, a);
    const length = along.length();
    mesh.position.copy(a);
    if (length > 0) mesh.quaternion.setFromUnitVectors(Y, along.divideScalar(length));
    mesh.scale.set(this.width, Math.max(length, 1e-9), this.width);
    mesh.updateMatrix();
  }
}

export function coilGeometry(turns: number): BufferGeometry {
  // made in the proportions that it mostly has, so that the wire stays round
  const length = 2.2 * turns;
  const points: Vector3[] = [new Vector3(0, 0, 0), new Vector3(0, 0.06 * length, 0)];
  const steps = turns * 12;
  for (let i = 0; i <= steps; ++i) {
    const s = i / steps;
    const angle = 2 * Math.PI * turns * s;
    const ramp = Math.min(1, 8 * s, 8 * (1 - s));
    points.push(new Vector3(ramp * Math.cos(angle), (0.1 + 0.8 * s) * length, ramp * Math.sin(angle)));
  }
  points.push(new Vector3(0, 0.94 * length, 0), new Vector3(0, length, 0));
  const tube = new TubeGeometry(new CatmullRomCurve3(points), steps * 2, 0.2, 6);
  tube.scale(1, 1 / length, 1);
  return tube;
}

export function rodGeometry(): BufferGeometry {
  const geometry = new CylinderGeometry(1, 1, 1, 12);
  geometry.translate(0, 0.5, 0);
  return geometry;
}

// A hydraulic cylinder with its rod.
export function cylinderGeometry(): BufferGeometry {
  const outline = [
    [0, 0],
    [1, 0],
    [1, 0.55],
    [0.45, 0.55],
    [0.45, 1],
    [0, 1],
  ];
  return new LatheGeometry(
    outline.map(([x, y]) => new Vector2(x, y)),
    16,
  );
}
