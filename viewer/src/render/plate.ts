// A flat plate with round corners: links of plane mechanisms, and bars.
import { type BufferGeometry, ExtrudeGeometry, Shape } from "three";

// A plate with round corners around the given corners.
export function plate(corners: [number, number][], radius: number, depth: number): BufferGeometry {
  const shape = new Shape();
  const n = corners.length;
  if (n === 1) {
    shape.absarc(corners[0]![0], corners[0]![1], radius, 0, 2 * Math.PI, false);
  } else {
    // outward normals of the edge before and after each corner
    const normal = (i: number) => {
      const a = corners[(i + n) % n]!;
      const b = corners[(i + 1) % n]!;
      return Math.atan2(b[1] - a[1], b[0] - a[0]) - Math.PI / 2;
    };
    for (let i = 0; i < n; ++i) {
      const [x, y] = corners[i]!;
      const from = normal(i - 1);
      let to = normal(i);
      while (to < from) to += 2 * Math.PI;
      shape.absarc(x, y, radius, from, to, false);
    }
  }
  const bevel = 0.22 * Math.min(radius, depth); // wide enough to be seen as an edge, not as single pixels
  const geometry = new ExtrudeGeometry(shape, {
    depth: depth - 2 * bevel,
    bevelEnabled: true,
    bevelSize: bevel,
    bevelOffset: -bevel,
    bevelThickness: bevel,
    bevelSegments: 2,
    curveSegments: n === 1 ? 48 : 12,
  });
  return geometry;
}
