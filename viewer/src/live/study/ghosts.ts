// What a study draws through the mechanism: runs by other methods or settings, moved to the same time; positions and
// places that an analysis found.
import { Box3, BufferGeometry, Float32BufferAttribute, Points, PointsMaterial } from "three";
import { posesAt } from "../../common/poses";
import { POSE, type Scene } from "../../common/scene";
import { MechanismView } from "../../render/mechanism";
import type { Stage } from "../../render/stage";

const OPACITY = 0.4;

export class Ghosts {
  private list: { view: MechanismView; t: number[]; poses: Float32Array; now: Float32Array }[] = [];

  private dots: Points<BufferGeometry, PointsMaterial> | null = null;

  constructor(private readonly stage: Stage) {}

  get count(): number {
    return this.list.length;
  }

  // colour: of its bodies; none: as the model's.
  add(scene: Scene, t: number[], poses: number[], colour?: string): void {
    const view = new MechanismView(scene);
    view.fade(OPACITY, colour);
    const now = new Float32Array(POSE * scene.bodies.length);
    this.list.push({ view, t, poses: Float32Array.from(poses), now });
    this.stage.scene.add(view.root);
    this.stage.invalidate();
  }

  // Places that can be reached: x, y, z of each.
  addDots(places: number[], colour: string): void {
    const geometry = new BufferGeometry().setAttribute("position", new Float32BufferAttribute(places, 3));
    const material = new PointsMaterial({ color: colour, size: 2.5, sizeAttenuation: false, depthTest: false });
    this.dots = new Points(geometry, material);
    this.stage.scene.add(this.dots);
    this.stage.invalidate();
  }

  // What they take of the space, where they stand now.
  extent(): Box3 {
    const box = this.dots ? new Box3().setFromObject(this.dots) : new Box3();
    for (const { view } of this.list) box.union(view.extent());
    return box;
  }

  clear(): void {
    for (const { view } of this.list) view.dispose();
    this.list = [];
    this.dots?.geometry.dispose();
    this.dots?.material.dispose();
    this.dots?.removeFromParent();
    this.dots = null;
    this.stage.invalidate();
  }

  follow(time: number): void {
    for (const { view, t, poses, now } of this.list) {
      posesAt(t, poses, time, now);
      view.update(now);
    }
  }
}
