// A selected part has an outline: its shape once more, a little larger, seen from inside.
import { BackSide, type BufferGeometry, Color, Mesh, ShaderMaterial } from "three";
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
  const mesh = new Mesh(geometry, material);
  mesh.raycast = () => {};
  return mesh;
}
