// A curve that a point slides along: a tube through the points of its path.
import { CatmullRomCurve3, Mesh, type MeshStandardMaterial, type Object3D, TubeGeometry, Vector3 } from "three";
import type { Joint, Triple } from "../common/scene";

// The program sends the path in the second marker's axes; of a closed curve the first point is there again at the end.
export interface CurvedJoint extends Joint {
  path?: Triple[];
  face?: boolean; // cams: a flat face follows
  inside?: boolean; // cams: the follower runs inside
}

export function curve({ path = [] }: CurvedJoint, radius: number, material: MeshStandardMaterial): Object3D {
  const points = path.map((p) => new Vector3(...p));
  const closed = points.length > 3 && points[0]!.distanceTo(points.at(-1)!) === 0;
  if (closed) points.pop();
  const line = new CatmullRomCurve3(points, closed);
  return new Mesh(new TubeGeometry(line, 2 * points.length, radius, 8, closed), material);
}
