// Reaction forces as arrows at their joints, all to one scale.
import { ConeGeometry, CylinderGeometry, Group, Mesh, MeshBasicMaterial, Vector3 } from "three";
import type { Marker, Scene } from "../common/scene";
import { colour } from "../common/theme";
import { moving } from "./joints";
import type { MechanismView } from "./mechanism";

// A reaction among columns that are known by name: on which marker it acts, and its three columns.
export interface Reaction {
  joint: string;
  marker: Marker;
  columns: string[];
  unique: boolean; // false: one choice of many
}

// "A.force.x" where two bodies meet, "A.BODY.force.x" where more do.
export function reactions(
  scene: Scene,
  has: (name: string) => boolean,
  isUnique: (name: string) => boolean = () => true,
): Reaction[] {
  const found: Reaction[] = [];
  for (const joint of scene.joints) {
    const candidates: [string, Marker | undefined][] = [[`${joint.name}.force`, moving(joint)]];
    for (const marker of joint.markers) candidates.push([`${joint.name}.${marker.body}.force`, marker]);
    for (const [prefix, marker] of candidates) {
      const columns = ["x", "y", "z"].map((c) => `${prefix}.${c}`).filter(has);
      if (marker && columns.length >= 2)
        found.push({ joint: joint.name, marker, columns, unique: columns.every(isUnique) });
    }
  }
  return found;
}

const Y = new Vector3(0, 1, 0);
const direction = new Vector3();

export class ForceArrows {
  readonly root = new Group();
  // N that the longest arrow stands for; grows with the forces seen, slowly shrinks.
  private full = 0;
  private readonly material = new MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.92 });
  private readonly faint = new MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.35 });
  private readonly shaft = new CylinderGeometry(1, 1, 1, 10).translate(0, 0.5, 0);
  private readonly head = new ConeGeometry(1, 1, 16).translate(0, -0.5, 0);
  private readonly arrows: { group: Group; shaft: Mesh; head: Mesh }[] = [];
  private readonly sizes: number[] = []; // N, of those that are seen; else 0

  constructor(
    private readonly view: MechanismView,
    private readonly sources: Reaction[],
  ) {
    this.refreshTheme();
    this.root.renderOrder = 10;
    for (let i = 0; i < sources.length; ++i) {
      const group = new Group();
      const material = sources[i]!.unique ? this.material : this.faint;
      const shaft = new Mesh(this.shaft, material);
      const head = new Mesh(this.head, material);
      for (const mesh of [shaft, head]) mesh.renderOrder = 10;
      group.add(shaft, head);
      group.visible = false;
      this.root.add(group);
      this.arrows.push({ group, shaft, head });
    }
  }

  refreshTheme(): void {
    for (const material of [this.material, this.faint]) material.color.set(colour("force"));
  }

  // value(i, k): component k of reaction i, N.
  update(value: (reaction: number, component: number) => number): void {
    let largest = 0;
    this.sources.forEach((source, i) => {
      const f = Math.hypot(...source.columns.map((_, k) => value(i, k)));
      if (Number.isFinite(f)) largest = Math.max(largest, f);
    });
    this.full = largest > this.full ? largest : 0.995 * this.full + 0.005 * largest;
    const scale = this.full > 0 ? this.view.size.arrow / nice(this.full) : 0;
    this.sources.forEach((source, i) => this.draw(i, source, value, scale));
  }

  // The largest forces, where their arrows end.
  tips(most: number): { at: Vector3; force: number }[] {
    if (!this.root.visible) return [];
    const order = this.sizes.map((force, i) => ({ force, i })).filter(({ force }) => force > 0);
    order.sort((a, b) => b.force - a.force);
    return order.slice(0, most).map(({ force, i }) => {
      const { group, head } = this.arrows[i]!;
      const at = new Vector3(0, head.position.y, 0).applyQuaternion(group.quaternion).add(group.position);
      return { at, force };
    });
  }

  // "0.25 m = 100 N": what the legend says.
  legend(): string {
    if (!(this.full > 0)) return "";
    const scale = `${Number(this.view.size.arrow.toPrecision(2))} m = ${nice(this.full)} N`;
    return this.sources.every((s) => s.unique) ? scale : `${scale} · pale: not unique, one choice of many`;
  }

  dispose(): void {
    this.shaft.dispose();
    this.head.dispose();
    this.material.dispose();
    this.faint.dispose();
    this.root.removeFromParent();
  }

  private draw(i: number, source: Reaction, value: (i: number, k: number) => number, scale: number): void {
    const { group, shaft, head } = this.arrows[i]!;
    direction.set(value(i, 0), value(i, 1), source.columns.length > 2 ? value(i, 2) : 0);
    const length = direction.length() * scale;
    this.sizes[i] = 0;
    const u = this.view.size.unit;
    group.visible = Number.isFinite(length) && length > 0.2 * u;
    if (!group.visible) return;
    this.sizes[i] = direction.length();
    this.view.place(source.marker, group.position);
    group.quaternion.setFromUnitVectors(Y, direction.normalize());
    const tip = Math.min(2.2 * u, 0.5 * length);
    shaft.scale.set(0.22 * u, length - tip, 0.22 * u);
    head.scale.set(0.34 * tip, tip, 0.34 * tip);
    head.position.y = length;
  }
}

// 1, 2 or 5 times a power of ten, not below x.
export function nice(x: number): number {
  const power = 10 ** Math.floor(Math.log10(x));
  const m = x / power;
  return Number(((m <= 1 ? 1 : m <= 2 ? 2 : m <= 5 ? 5 : 10) * power).toPrecision(2));
}
