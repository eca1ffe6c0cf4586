// The mechanism as three.js objects: built once per scene, then moved by poses alone.
import {
  Box3,
  Group,
  LineSegments,
  type Material,
  Mesh,
  type MeshStandardMaterial,
  type Object3D,
  Quaternion,
  type ShaderMaterial,
  Vector3,
} from "three";
import { GROUND, type Marker, type Part, POSE, samePart, type Scene, startPoses } from "../common/scene";
import { Belts } from "./belts";
import { bodyShape, layers } from "./bodies";
import { drawJoint, type Glyph, links } from "./joints";
import { EdgeLines } from "./edge_lines";
import { drawDriver, drawLoad } from "./loads";
import { bodyMaterial, Looks, Paints } from "./looks";
import { measure, type Measure } from "./measure";
import { merged } from "./merge";
import { outline, outlineMaterial } from "./outline";
import { solids } from "./solids";
import { coilGeometry, cylinderGeometry, rodGeometry, Span } from "./spans";
import { Stops } from "./stops";

interface Stretch {
  span: Span;
  a: Marker;
  b: Marker;
}

const from = new Vector3();
const to = new Vector3();
const turn = new Quaternion();

export interface Place {
  body: string;
  at: [number, number, number]; // body axes
}

export type Seen = "solid" | "glass" | "hidden";

function shaded(mesh: Mesh): void {
  mesh.castShadow = mesh.receiveShadow = true;
}

export class MechanismView {
  readonly root = new Group();
  readonly size: Measure;
  readonly pickable: Object3D[] = [];
  readonly stops: Stops;
  private readonly looks = new Looks();
  private readonly edges = new EdgeLines();
  private readonly glass = new Map<MeshStandardMaterial, MeshStandardMaterial>(); // by what it stands for
  private readonly paints = new Paints();
  private readonly groups = new Map<string, Group>();
  private readonly ordered: Group[] = [];
  private allPlaces: Place[] | null = null;
  private heldBodies: Set<string> | null = null;
  private readonly stretches: Stretch[] = [];
  private belts: Belts | null = null;
  private readonly bodyMaterials: MeshStandardMaterial[] = [];
  private readonly parts = new Map<Object3D, Part>();
  private selected: Part | null = null;
  private readonly outlines: Mesh[] = [];
  private outlineMaterial: ShaderMaterial | null = null;

  constructor(
    readonly scene: Scene,
    motion?: Box3,
  ) {
    this.size = measure(scene, motion);
    this.looks.refresh();
    this.addBodies();
    this.addJoints();
    this.addLoads();
    this.addBelts();
    this.update(startPoses(scene));
    this.stops = new Stops(this, this.looks);
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
    this.belts?.update((marker, at, axis) => {
      this.place(marker, at);
      const [w, x, y, z] = marker.q;
      axis.set(0, 0, 1).applyQuaternion(turn.set(x, y, z, w));
      const group = this.groups.get(marker.body);
      if (group && marker.body !== GROUND) axis.applyQuaternion(group.quaternion);
    });
  }

  // Where a marker is now.
  place(marker: { body: string; at: ArrayLike<number> }, result: Vector3): Vector3 {
    result.set(marker.at[0] as number, marker.at[1] as number, marker.at[2] as number);
    const group = this.groups.get(marker.body);
    return group && marker.body !== GROUND ? result.applyMatrix4(group.matrix) : result;
  }

  // Where it is now, with what stands on the ground.
  extent(): Box3 {
    const box = new Box3();
    for (const place of this.places()) box.expandByPoint(this.place(place, from));
    return box.isEmpty() ? this.size.box.clone() : box;
  }

  // Where the bodies are now; of those that nothing holds only what is not farther than that from the start.
  moving(farthest: number): Box3 {
    const box = new Box3();
    const near = this.size.box.clone().expandByScalar(farthest);
    for (const place of this.places()) {
      if (place.body === GROUND) continue;
      this.place(place, from);
      if (this.held().has(place.body) || near.containsPoint(from)) box.expandByPoint(from);
    }
    return box;
  }

  // Bodies that a joint holds.
  private held(): Set<string> {
    return (this.heldBodies ??= new Set(this.scene.joints.flatMap((j) => j.markers.map((m) => m.body))));
  }

  // A world place in a body's axes.
  local(body: string, world: Vector3): Vector3 {
    const group = this.groups.get(body);
    const result = world.clone();
    return group && body !== GROUND
      ? result.sub(group.position).applyQuaternion(group.quaternion.clone().invert())
      : result;
  }

  localDirection(body: string, world: Vector3): Vector3 {
    const group = this.groups.get(body);
    return group && body !== GROUND ? world.clone().applyQuaternion(group.quaternion.clone().invert()) : world.clone();
  }

  // A direction in a marker's own axes, in the world.
  direction(marker: Marker, v: Vector3): Vector3 {
    const [w, x, y, z] = marker.q;
    v.applyQuaternion(turn.set(x, y, z, w));
    const group = this.groups.get(marker.body);
    return group && marker.body !== GROUND ? v.applyQuaternion(group.quaternion) : v;
  }

  attach(body: string, object: Object3D): void {
    object.traverse((part) => part instanceof Mesh && shaded(part));
    this.group(body).add(object);
  }

  // How a body is seen: as it is, through it, or not at all. What is fixed to it goes with it.
  seen(body: string, how: Seen): void {
    const index = this.scene.bodies.findIndex((b) => b.name === body);
    const group = this.ordered[index];
    if (!group) return;
    group.visible = how !== "hidden";
    group.traverse((part) => {
      if (!(part instanceof Mesh) || this.outlines.includes(part)) return;
      const solid = (part.userData["solid"] ??= part.material) as MeshStandardMaterial;
      part.material = how === "glass" ? this.glassOf(solid) : solid;
    });
    for (const { span, a, b } of this.stretches)
      if (a.body === body || b.body === body) span.mesh.visible = how !== "hidden";
  }

  private glassOf(solid: MeshStandardMaterial): MeshStandardMaterial {
    const known = this.glass.get(solid);
    if (known) return known;
    const made = solid.clone();
    Object.assign(made, { transparent: true, opacity: 0.25, depthWrite: false });
    this.glass.set(solid, made);
    return made;
  }

  partOf(object: Object3D | null): Part | null {
    for (let o = object; o; o = o.parent) {
      const part = this.parts.get(o);
      if (part) return part;
    }
    return null;
  }

  // The body that carries what was hit; none for the ground.
  bodyOf(object: Object3D | null): string | null {
    for (let o = object; o; o = o.parent) {
      const index = this.ordered.indexOf(o as Group);
      if (index >= 0) return this.scene.bodies[index]!.name;
    }
    return null;
  }

  // Places of bodies that have a name or hold something: a pick snaps to them.
  places(): Place[] {
    return (this.allPlaces ??= this.findPlaces());
  }

  private findPlaces(): Place[] {
    const { bodies, joints, points } = this.scene;
    const ends = bodies.flatMap((b) => [
      { body: b.name, at: b.com },
      ...(b.kind === "rod"
        ? [
            { body: b.name, at: [0, 0, 0] as [number, number, number] },
            { body: b.name, at: [b.length, 0, 0] as [number, number, number] },
          ]
        : []),
      ...Object.values(b.points).map((at) => ({ body: b.name, at })),
    ]);
    return [...ends, ...joints.flatMap((j) => j.markers), ...points.flatMap((p) => p.on)];
  }

  select(part: Part | null): void {
    if (samePart(part, this.selected)) return;
    this.selected = part;
    this.drawOutlines();
  }

  refreshTheme(): void {
    this.looks.refresh();
    this.edges.refreshTheme();
    this.drawOutlines();
  }

  // Seen through, with its bodies in one colour, if one is given.
  fade(opacity: number, colour?: string): void {
    if (colour) for (const material of this.bodyMaterials) material.color.set(colour);
    this.root.traverse((part) => {
      if (!(part instanceof Mesh)) return;
      Object.assign(part.material as Material, { transparent: true, opacity, depthWrite: false });
    });
  }

  dispose(): void {
    this.root.traverse((part) => {
      if (part instanceof Mesh || part instanceof LineSegments) part.geometry.dispose();
    });
    this.edges.dispose();
    for (const material of [...this.bodyMaterials, ...this.glass.values()]) material.dispose();
    this.looks.dispose();
    this.paints.dispose();
    this.outlineMaterial?.dispose();
    this.root.removeFromParent();
  }

  private group(name: string): Group {
    return this.groups.get(name) ?? this.root;
  }

  private own(object: Object3D, part: Part): void {
    object.traverse((one) => one instanceof Mesh && shaded(one));
    this.parts.set(object, part);
    this.pickable.push(object);
  }

  private addBodies(): void {
    const ground = new Group();
    this.groups.set(GROUND, ground);
    this.root.add(ground);
    const standing = this.scene.ground.drawn.filter((shape) => !shape.missing);
    ground.add(
      merged(
        solids(standing, this.scene.meshes, 0.8 * this.size.unit, (shape) =>
          shape.colour ? this.paints.of(shape.colour) : this.looks.ground,
        ),
      ),
    );
    const layer = layers(this.scene);
    this.scene.bodies.forEach((body, i) => {
      const group = new Group();
      group.matrixAutoUpdate = false;
      const material = body.colour ? this.paints.of(body.colour) : bodyMaterial(i);
      this.bodyMaterials.push(material);
      const shape = merged(
        bodyShape(this.scene, body, this.size, material, this.looks, this.paints, layer.get(body.name) ?? 0),
      );
      this.edges.add(shape);
      group.add(shape);
      this.own(shape, { kind: "body", name: body.name });
      this.groups.set(body.name, group);
      this.ordered.push(group);
      this.root.add(group);
    });
  }

  private addJoints(): void {
    for (const joint of this.scene.joints) {
      const part: Part = { kind: "joint", name: joint.name };
      const { glyphs, spans } = drawJoint(joint, this.pen());
      this.addGlyphs(glyphs, part);
      for (const [a, b] of spans)
        this.stretch(a, b, new Span(rodGeometry(), this.looks.metal, 0.22 * this.size.unit), part);
    }
  }

  private addLoads(): void {
    const pen = this.pen();
    for (const driver of this.scene.drivers) {
      const part: Part = { kind: "driver", name: driver.name };
      const [a, b] = driver.markers;
      if (a && b) this.stretch(a, b, new Span(cylinderGeometry(), this.looks.drive, 0.8 * this.size.unit), part);
      this.addGlyphs(drawDriver(driver, pen), part);
    }
    for (const force of this.scene.forces) {
      const part: Part = { kind: "force", name: force.name };
      const [a, b] = force.markers;
      if (a && b && force.drawn === "coil")
        this.stretch(a, b, new Span(coilGeometry(7), this.looks.spring, 1.2 * this.size.unit), part);
      if (force.drawn === "tendon")
        for (const [one, other] of links(force.joints ?? [], this.scene))
          this.stretch(one, other, new Span(rodGeometry(), this.looks.spring, 0.14 * this.size.unit), part);
      this.addGlyphs(drawLoad(force, pen), part);
    }
  }

  // Spans of belts, of joints and of forces.
  private addBelts(): void {
    const owners: Part[] = [];
    const spans = [...this.scene.joints, ...this.scene.forces].flatMap((one) => {
      const [from, to] = one.markers;
      if (one.drawn !== "belt line" || !from || !to || !one.radii) return [];
      owners.push({ kind: "of" in one && "value" in one ? "joint" : "force", name: one.name });
      return [{ from, to, radii: one.radii as [number, number] }];
    });
    if (spans.length === 0) return;
    this.belts = new Belts(
      spans,
      this.looks.spring,
      0.2 * this.size.unit,
      this.scene.planar ? this.pen().top - this.size.unit : 0,
    );
    this.belts.meshes.forEach((meshes, k) => {
      for (const mesh of meshes) {
        this.root.add(mesh);
        this.own(mesh, owners[k]!);
      }
    });
  }

  private pen() {
    const top = this.scene.planar ? (Math.max(0, ...layers(this.scene).values()) + 1) * this.size.unit : 0;
    return { scene: this.scene, size: this.size, looks: this.looks, top };
  }

  private addGlyphs(glyphs: Glyph[], part: Part): void {
    for (const { body, object } of glyphs) {
      const shape = merged(object);
      this.group(body).add(shape);
      this.own(shape, part);
    }
  }

  private stretch(a: Marker, b: Marker, span: Span, part: Part): void {
    this.stretches.push({ span, a, b });
    this.root.add(span.mesh);
    this.own(span.mesh, part);
  }

  // Adds outlines to the selected part, and takes them from what was selected before.
  private drawOutlines(): void {
    for (const mesh of this.outlines) {
      mesh.geometry.dispose();
      mesh.removeFromParent();
    }
    this.outlines.length = 0;
    this.outlineMaterial?.dispose();
    this.outlineMaterial = null;
    if (!this.selected) return;
    const material = (this.outlineMaterial = outlineMaterial(0.28 * this.size.unit));
    for (const [object, owner] of this.parts) {
      if (!samePart(owner, this.selected)) continue;
      const meshes: Mesh[] = [];
      object.traverse((part) => part instanceof Mesh && meshes.push(part));
      for (const mesh of meshes) {
        const copy = outline(mesh.geometry, material);
        mesh.add(copy);
        this.outlines.push(copy);
      }
    }
  }
}
