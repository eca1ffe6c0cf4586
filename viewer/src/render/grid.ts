// The ground: a grid of round distances that fades away from the mechanism. In the plane it lies behind it.
import { Color, DoubleSide, Mesh, PlaneGeometry, Quaternion, ShaderMaterial, Vector3 } from "three";
import { colour } from "../common/theme";
import { nice } from "./arrows";
import type { Measure } from "./measure";

const vertex = `
varying vec2 place;
void main() {
  place = position.xy;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

// Lines one pixel wide at multiples of `cell`, stronger at every fifth.
const fragment = `
varying vec2 place;
uniform vec3 ink;
uniform float cell, reach;
float lines(vec2 p) {
  vec2 d = abs(fract(p - 0.5) - 0.5) / fwidth(p);
  return 1.0 - min(min(d.x, d.y), 1.0);
}
void main() {
  float fade = 1.0 - smoothstep(0.25 * reach, reach, length(place));
  float strength = max(0.35 * lines(place / cell), lines(place / (5.0 * cell)));
  gl_FragColor = vec4(ink, 0.5 * strength * fade);
  if (gl_FragColor.a < 0.004) discard;
}`;

export class Grid {
  readonly mesh: Mesh;
  readonly cell: number;
  private readonly material: ShaderMaterial;

  constructor(size: Measure, planar: boolean) {
    this.cell = nice(size.size / 12);
    const reach = 3.5 * size.size;
    this.material = new ShaderMaterial({
      vertexShader: vertex,
      fragmentShader: fragment,
      uniforms: { ink: { value: new Color() }, cell: { value: this.cell }, reach: { value: reach } },
      transparent: true,
      depthWrite: false,
      side: DoubleSide,
    });
    this.mesh = new Mesh(new PlaneGeometry(2 * reach, 2 * reach), this.material);
    this.mesh.renderOrder = -1;
    const centre = size.box.getCenter(new Vector3());
    if (planar) {
      this.mesh.position.set(snap(centre.x, 5 * this.cell), snap(centre.y, 5 * this.cell), -1.5 * size.unit);
    } else {
      this.mesh.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), size.up));
      this.mesh.position.copy(centre.addScaledVector(size.up, size.floor - centre.dot(size.up)));
    }
    this.refreshTheme();
  }

  refreshTheme(): void {
    (this.material.uniforms["ink"]!.value as Color).set(colour("grid-ink")).convertLinearToSRGB();
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.material.dispose();
    this.mesh.removeFromParent();
  }
}

function snap(x: number, step: number): number {
  return Math.round(x / step) * step;
}
