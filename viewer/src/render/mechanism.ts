// The mechanism as three.js objects: built once per scene, then moved by poses alone.
import { Color, Group, Mesh, type MeshStandardMaterial, type Object3D, Vector3 } from "three";
import { type Force, GROUND, type Marker, type Part, POSE, samePart, type Scene, startPoses } from "../common/scene";
import { colour } from "../common/theme";
import { bodyShape, layers } from "./bodies";
import { drawJoint, moving } from "./joints";
import { bodyMaterial, Looks } from "./looks";
import { measure, type Measure } from "./measure";
import { merged } from "./merge";
import { coilGeometry, rodGeometry, Span } from "./spans";

interface Stretch {
  span: Span;
  a: Marker;
  b: Marker;
}

const from = new Vector3();
const to = new Vector3();

export class MechanismView {
  readonly root = new Group();
  readonly size: Measure;
  readonly pickable: Object3D[] = [];
  private readonly looks = new Looks();
  private readonly groups = new Map<string, Group>();
  private readonly ordered: Group[] = [];
  private readonly stretches: Stretch[] = [];
  private readonly bodyMaterials: MeshStandardMaterial[] = [];
  private readonly parts = new Map<Object3D, Part>();
  private selected: Part | null = null;

  constructor(readonly scene: Scene) {
    this.size = measure(scene);
    this.looks.refresh();
    this.addBodies();
    this.addJoints();
    for (const force of scene.forces) this.addForce(force);
    this.update(startPoses(scene));
  }

  // Poses as frames hold them. The groups' matrices are written directly: their parent does not move.
  update(poses: Float32Array): void {
    for (let i = 0; i < this.ordered.length; ++i) {
      const group = this.ordered[i] as Group;
      const k = POSE * i;
      group.position.set(poses[k]!, poses[k + 1]!, poses[k + 2]!);
      group.quaternion.set(poses[k + 4]!, poses[k + 5]!, poses[k + 6]!, poses[k + 3]!);
      group.updateMatrix();
      group.matrixWorldNeedsUpdate = true;
    }
    for (const { span, a, b } of this.stretches) {
      span.stretch(this.place(a, from), this.place(b, to));
      span.mesh.matrixWorldNeedsUpdate = true;
    }
  }

  // Where a marker is now.
  place(marker: { body: string; at: ArrayLike<number> }, result: Vector3): Vector3 {
    result.set(marker.at[0] as number, marker.at[1] as number, marker.at[2] as number);
    const group = this.groups.get(marker.body);
    return group && marker.body !== GROUND ? result.applyMatrix4(group.matrix) : result;
  }

  // A world place in a body's axes.
  local(body: string, world: Vector3): Vector3 {
    const group = this.groups.get(body);
    const result = world.clone();
    return group && body !== GROUND ? result.sub(group.position).applyQuaternion(group.quaternion.clone().invert()) : result;
  }

  localDirection(body: string, world: Vector3): Vector3 {
    const group = this.groups.get(body);
    return group && body !== GROUND ? world.clone().applyQuaternion(group.quaternion.clone().invert()) : world.clone();
  }

  partOf(object: Object3D | null): Part | null {
    for (let o = object; o; o = o.parent) {
      const part = this.parts.get(o);
      if (part) return part;
    }
    return null;
  }

  select(part: Part | null): void {
    if (samePart(part, this.selected)) return;
    this.selected = part;
    for (const [object, owner] of this.parts) this.paint(object, samePart(owner, part));
  }

  refreshTheme(): void {
    this.looks.refresh();
    for (const [object, owner] of this.parts) this.paint(object, samePart(owner, this.selected));
  }

  dispose(): void {
    this.root.traverse((part) => {
      if (part instanceof Mesh) part.geometry.dispose();
    });
    for (const material of this.bodyMaterials) material.dispose();
    this.looks.dispose();
    this.root.removeFromParent();
  }

  private group(name: string): Group {
    return this.groups.get(name) ?? this.root;
  }

  private own(object: Object3D, part: Part): void {
    this.parts.set(object, part);
    this.pickable.push(object);
  }

  private addBodies(): void {
    const ground = new Group();
    this.groups.set(GROUND, ground);
    this.root.add(ground);
    const layer = layers(this.scene);
    this.scene.bodies.forEach((body, i) => {
      const group = new Group();
      group.matrixAutoUpdate = false;
      const material = bodyMaterial(i);
      this.bodyMaterials.push(material);
      const shape = merged(bodyShape(this.scene, body, this.size, material, this.looks, layer.get(body.name) ?? 0));
      group.add(shape);
      this.own(shape, { kind: "body", name: body.name });
      this.groups.set(body.name, group);
      this.ordered.push(group);
      this.root.add(group);
    });
  }

  private addJoints(): void {
    const top = this.scene.planar ? (Math.max(0, ...layers(this.scene).values()) + 1) * this.size.unit : 0;
    const pen = { scene: this.scene, size: this.size, looks: this.looks, top };
    for (const joint of this.scene.joints) {
      const part: Part = { kind: "joint", name: joint.name };
      const { glyphs, spans } = drawJoint(joint, pen);
      for (const { body, object } of glyphs) {
        const shape = merged(object);
        this.group(body).add(shape);
        this.own(shape, part);
      }
      for (const [a, b] of spans) this.stretch(a, b, new Span(rodGeometry(), this.looks.metal, 0.22 * this.size.unit), part);
    }
  }

  private addForce(force: Force): void {
    const part: Part = { kind: "force", name: force.name };
    const [a, b] = force.markers;
    if (!a || !b || (force.kind !== "spring" && force.kind !== "bushing")) return;
    this.stretch(a, b, new Span(coilGeometry(9), this.looks.spring, 1.1 * this.size.unit), part);
  }

  private stretch(a: Marker, b: Marker, span: Span, part: Part): void {
    this.stretches.push({ span, a, b });
    this.root.add(span.mesh);
    this.own(span.mesh, part);
  }

  // Selected parts glow: each mesh gets a copy of its material while it does.
  private paint(object: Object3D, glows: boolean): void {
    object.traverse((part) => {
      if (!(part instanceof Mesh)) return;
      const plain = (part.userData["plain"] as MeshStandardMaterial | undefined) ?? (part.material as MeshStandardMaterial);
      if (part.material !== plain) (part.material as MeshStandardMaterial).dispose();
      part.userData["plain"] = plain;
      if (!glows) {
        part.material = plain;
        return;
      }
      const bright = plain.clone();
      bright.emissive = new Color(colour("accent"));
      bright.emissiveIntensity = 0.75;
      part.material = bright;
    });
  }
}

// The moving marker at which a joint's reaction acts.
export { moving };
