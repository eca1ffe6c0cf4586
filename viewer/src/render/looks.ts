// Colours and materials of what is drawn.
import { Color, DoubleSide, MeshStandardMaterial, SRGBColorSpace, type Material } from "three";
import type { Colour } from "../common/scene";
import { colour } from "../common/theme";

const BODIES = ["#4f83c9", "#e09f3e", "#3a9d8c", "#cf5f54", "#8a76c8", "#8aa244", "#c9739f", "#72859b"];

export function bodyColour(index: number): string {
  return BODIES[index % BODIES.length] as string;
}

export function bodyMaterial(index: number): MeshStandardMaterial {
  return new MeshStandardMaterial({ color: new Color(bodyColour(index)), roughness: 0.55, metalness: 0.05 });
}

// Materials of the colours that a model gives, each made once.
export class Paints {
  private readonly known = new Map<string, MeshStandardMaterial>();

  of(colour: Colour): MeshStandardMaterial {
    const key = colour.join(" ");
    const found = this.known.get(key);
    if (found) return found;
    const [red, green, blue, opacity] = colour;
    const material = new MeshStandardMaterial({
      color: new Color().setRGB(red, green, blue, SRGBColorSpace),
      roughness: 0.55,
      metalness: 0.05,
      ...(opacity < 1 ? { transparent: true, opacity, depthWrite: false } : {}),
    });
    this.known.set(key, material);
    return material;
  }

  dispose(): void {
    for (const material of this.known.values()) material.dispose();
  }
}

// What the joints, the ground and the springs are made of: follows the theme.
export class Looks {
  readonly metal = new MeshStandardMaterial({ roughness: 0.4, metalness: 0.25 });
  readonly bright = new MeshStandardMaterial({ roughness: 0.5, metalness: 0.1 });
  readonly ground = new MeshStandardMaterial({ roughness: 0.9, metalness: 0 });
  readonly glass = new MeshStandardMaterial({
    transparent: true,
    opacity: 0.22,
    roughness: 0.8,
    side: DoubleSide,
    depthWrite: false,
  });
  readonly drive = new MeshStandardMaterial({ roughness: 0.5 });
  readonly load = new MeshStandardMaterial({ roughness: 0.5 });
  readonly spring = new MeshStandardMaterial({ roughness: 0.35, metalness: 0.35 });

  refresh(): void {
    this.metal.color.set(colour("metal"));
    this.bright.color.set(colour("bright"));
    this.ground.color.set(colour("ground"));
    this.glass.color.set(colour("ground"));
    this.spring.color.set(colour("spring"));
    this.drive.color.set(colour("good"));
    this.load.color.set(colour("force"));
  }

  dispose(): void {
    const all: Material[] = [this.metal, this.bright, this.ground, this.glass, this.spring, this.drive, this.load];
    for (const material of all) material.dispose();
  }
}
