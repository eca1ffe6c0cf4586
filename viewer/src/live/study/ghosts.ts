// Runs of the model by other methods or settings, drawn through the mechanism and moved to the same time.
import { Mesh, type Material } from "three";
import { POSE, type Scene } from "../../common/scene";
import { MechanismView } from "../../render/mechanism";
import type { Stage } from "../../render/stage";

const OPACITY = 0.28;

export class Ghosts {
  private list: { view: MechanismView; t: number[]; poses: Float32Array }[] = [];

  constructor(private readonly stage: Stage) {}

  get count(): number {
    return this.list.length;
  }

  add(scene: Scene, t: number[], poses: number[]): void {
    const view = new MechanismView(scene);
    view.root.traverse((part) => {
      if (!(part instanceof Mesh)) return;
      const material = part.material as Material;
      material.transparent = true;
      material.opacity = OPACITY;
      material.depthWrite = false;
    });
    this.list.push({ view, t, poses: Float32Array.from(poses) });
    this.stage.scene.add(view.root);
    this.stage.invalidate();
  }

  clear(): void {
    for (const { view } of this.list) view.dispose();
    this.list = [];
    this.stage.invalidate();
  }

  // All stand at the time nearest to t that is known.
  follow(time: number): void {
    for (const { view, t, poses } of this.list) {
      let at = 0;
      while (at + 1 < t.length && t[at + 1]! <= time + 1e-12) ++at;
      const size = POSE * view.scene.bodies.length;
      view.update(poses.subarray(at * size, (at + 1) * size));
    }
  }
}
