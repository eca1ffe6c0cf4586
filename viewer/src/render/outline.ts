// A selected part has an outline: its shape once more, a little larger, seen from inside.
import { BackSide, type BufferGeometry, Color, Mesh, ShaderMaterial } from "three";
import { mergeVertices } from "three/addons/utils/BufferGeometryUtils.js";
import { colour } from "../common/theme";

export function outlineMaterial(width: number): ShaderMaterial {
  return new ShaderMaterial({
    uniforms: { tint: { value: new Color(colour("accent")).convertLinearToSRGB() }, width: { value: width } },
    vertexShader: `
uniform float width;
void main() {
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position + width * normal, 1.0);
}`,
    fragmentShader: `
uniform vec3 tint;
void main() { gl_FragColor = vec4(tint, 1.0); }`,
    side: BackSide,
  });
}

export function outline(geometry: BufferGeometry, material: ShaderMaterial): Mesh {
  // Edges are rounded by common normals, so that a plate seen face on grows too.
  const plain = geometry.clone();
  for (const name of Object.keys(plain.attributes)) if (name !== "position") plain.deleteAttribute(name);
  const round = mergeVertices(plain);
  round.computeVertexNormals();
  plain.dispose();
  const mesh = new Mesh(round, material);
  mesh.raycast = () => {};
  return mesh;
}
