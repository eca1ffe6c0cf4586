// The path of a point: the last places where it was, fading.
import { BufferAttribute, BufferGeometry, Color, Line, LineBasicMaterial, type Vector3 } from "three";

export class Trace {
  readonly line: Line;
  private count = 0;
  private kept = 0; // without the tip
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

  // The path of rows of a table, newest last: x y z in three columns.
  set(columns: Float64Array[], from: number, to: number): void {
    const array = this.positions.array as Float32Array;
    const every = Math.max(1, Math.ceil((to - from) / (this.capacity - 1)));
    this.count = 0;
    for (let row = to - 1 - Math.floor((to - 1 - from) / every) * every; row < to; row += every) {
      for (let k = 0; k < 3; ++k) array[3 * this.count + k] = columns[k]![row]!;
      if (!Number.isNaN(array[3 * this.count]!)) ++this.count;
    }
    this.kept = this.count;
    this.positions.needsUpdate = true;
    this.line.geometry.setDrawRange(0, this.count);
  }

  // Where the point is now, after the last row.
  tip(p: Vector3): void {
    if (this.kept === 0) return;
    p.toArray(this.positions.array, 3 * this.kept);
    this.count = this.kept + 1;
    this.positions.needsUpdate = true;
    this.line.geometry.setDrawRange(0, this.count);
  }

  clear(): void {
    this.kept = 0;
    this.count = 0;
    this.line.geometry.setDrawRange(0, 0);
  }

  dispose(): void {
    this.line.geometry.dispose();
    (this.line.material as LineBasicMaterial).dispose();
    this.line.removeFromParent();
  }
}
