// Runs of the model by other methods or settings, drawn through the mechanism and moved to the same time.
import { posesAt } from "../../common/poses";
import { POSE, type Scene } from "../../common/scene";
import { MechanismView } from "../../render/mechanism";
import type { Stage } from "../../render/stage";

const OPACITY = 0.4;

export class Ghosts {
  private list: { view: MechanismView; t: number[]; poses: Float32Array; now: Float32Array }[] = [];

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

  clear(): void {
    for (const { view } of this.list) view.dispose();
    this.list = [];
    this.stage.invalidate();
  }

  follow(time: number): void {
    for (const { view, t, poses, now } of this.list) {
      posesAt(t, poses, time, now);
      view.update(now);
    }
  }
}
