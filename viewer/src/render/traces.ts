// The path of a point: the last places where it was, fading.
import { BufferAttribute, BufferGeometry, Color, Line, LineBasicMaterial, type Vector3 } from "three";

export class Trace {
  readonly line: Line;
  private count = 0;
  private readonly positions: BufferAttribute;

  constructor(
    tint: string,
    private readonly capacity: number,
  ) {
    const geometry = new BufferGeometry();
    this.positions = new BufferAttribute(new Float32Array(3 * capacity), 3);
    geometry.setAttribute("position", this.positions);
    const material = new LineBasicMaterial({ color: new Color(tint), transparent: true, opacity: 0.8 });
    this.line = new Line(geometry, material);
    this.line.frustumCulled = false;
    geometry.setDrawRange(0, 0);
  }

  push(p: Vector3): void {
    const array = this.positions.array as Float32Array;
    if (this.count === this.capacity) {
      array.copyWithin(0, 3);
      --this.count;
    }
    p.toArray(array, 3 * this.count);
    ++this.count;
    this.positions.needsUpdate = true;
    this.line.geometry.setDrawRange(0, this.count);
  }

  clear(): void {
    this.count = 0;
    this.line.geometry.setDrawRange(0, 0);
  }

  dispose(): void {
    this.line.geometry.dispose();
    (this.line.material as LineBasicMaterial).dispose();
    this.line.removeFromParent();
  }
}
