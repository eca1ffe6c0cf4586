// Dark lines along the sharp edges of a body: shapes of one colour are told apart by them.
import { EdgesGeometry, LineBasicMaterial, LineSegments, Mesh, type Object3D } from "three";
import { colour } from "../common/theme";

const SHARP = 28; // degrees between two faces
const MOST = 60_000; // vertices of a shape: finer meshes have no edges to speak of

export class EdgeLines {
  readonly material = new LineBasicMaterial({ transparent: true, opacity: 0.45 });

  constructor() {
    this.refreshTheme();
  }

  refreshTheme(): void {
    this.material.color.set(colour("metal"));
  }

  add(shape: Object3D): void {
    const meshes: Mesh[] = [];
    shape.traverse((part) => part instanceof Mesh && meshes.push(part));
    for (const mesh of meshes) {
      if (mesh.geometry.attributes["position"]!.count > MOST) continue;
      const lines = new LineSegments(new EdgesGeometry(mesh.geometry, SHARP), this.material);
      lines.raycast = () => {};
      lines.matrixAutoUpdate = false;
      mesh.add(lines);
    }
  }

  dispose(): void {
    this.material.dispose();
  }
}
