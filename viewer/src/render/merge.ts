// One mesh per material instead of many: a glyph of sixty strokes costs as much per frame as one stroke.
import { type BufferGeometry, Group, type Material, Mesh, type Object3D } from "three";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";

export function merged(object: Object3D): Group {
  const byMaterial = new Map<Material, BufferGeometry[]>();
  object.updateMatrixWorld(true);
  object.traverse((part) => {
    if (!(part instanceof Mesh)) return;
    const source = part.geometry as BufferGeometry;
    const geometry = source.index ? source.toNonIndexed() : source.clone();
    geometry.deleteAttribute("uv");
    geometry.applyMatrix4(part.matrixWorld);
    const list = byMaterial.get(part.material as Material) ?? [];
    list.push(geometry);
    byMaterial.set(part.material as Material, list);
    source.dispose();
  });
  const group = new Group();
  for (const [material, list] of byMaterial) {
    const mesh = new Mesh(mergeGeometries(list), material);
    mesh.matrixAutoUpdate = false;
    group.add(mesh);
    for (const geometry of list) geometry.dispose();
  }
  group.matrixAutoUpdate = false;
  return group;
}
