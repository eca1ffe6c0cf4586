// The ground: a grid of round distances that fades away from the mechanism. In the plane it lies behind it.
import { Color, DoubleSide, Mesh, PlaneGeometry, ShaderMaterial, Vector2, Vector3 } from "three";
import { colour } from "../common/theme";
import { nice } from "./arrows";
import type { Measure } from "./measure";

const REACH = 3.5; // times the height of the view

const vertex = `
varying vec2 place, away;
uniform vec2 origin;
uniform float reach;
void main() {
  away = position.xy;
  place = origin + reach * position.xy;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

// Lines one pixel wide at multiples of `cell`, stronger at every fifth.
const fragment = `
varying vec2 place, away;
uniform vec3 ink;
uniform float cell;
float lines(vec2 p) {
  vec2 d = abs(fract(p - 0.5) - 0.5) / fwidth(p);
  return 1.0 - min(min(d.x, d.y), 1.0);
}
void main() {
  float fade = 1.0 - smoothstep(0.25, 1.0, length(away));
  float strength = max(0.35 * lines(place / cell), lines(place / (5.0 * cell)));
  gl_FragColor = vec4(ink, 0.5 * strength * fade);
  if (gl_FragColor.a < 0.004) discard;
}`;

export class Grid {
  readonly mesh: Mesh;
  cell = 1; // m
  private readonly material: ShaderMaterial;
  private readonly normal: Vector3;
  private readonly level: number;

  constructor(size: Measure, planar: boolean) {
    this.normal = planar ? new Vector3(0, 0, 1) : size.up;
    this.level = planar ? -1.5 * size.unit : size.floor;
    this.material = new ShaderMaterial({
      vertexShader: vertex,
      fragmentShader: fragment,
      uniforms: {
        ink: { value: new Color() },
        cell: { value: 1 },
        reach: { value: 1 },
        origin: { value: new Vector2() },
      },
      transparent: true,
      depthWrite: false,
      side: DoubleSide,
    });
    this.mesh = new Mesh(new PlaneGeometry(2, 2), this.material);
    this.mesh.renderOrder = -1;
    this.mesh.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), this.normal);
    this.refreshTheme();
  }

  // Where a view of this height looks, m: round distances at every scale.
  around(target: Vector3, height: number): void {
    const uniforms = this.material.uniforms;
    this.cell = nice(height / 12);
    uniforms["cell"]!.value = this.cell;
    uniforms["reach"]!.value = REACH * height;
    this.mesh.scale.set(REACH * height, REACH * height, 1);
    this.mesh.position.copy(target).addScaledVector(this.normal, this.level - target.dot(this.normal));
    const inPlane = this.mesh.position.clone().applyQuaternion(this.mesh.quaternion.clone().invert());
    (uniforms["origin"]!.value as Vector2).set(inPlane.x, inPlane.y);
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
