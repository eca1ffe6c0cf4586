// The last values of the signals that the frames bring, for the plots.
import type { Mark, PlotData } from "../common/plot";

const CAPACITY = 7200; // frames: two minutes at 60 a second
const SHOWN = 1600; // points of a curve: more than a plot has pixels

export class History {
  names: string[] = [];
  marks: Mark[] = [];
  private t = new Float64Array(CAPACITY);
  private columns = new Map<string, Float64Array>();
  private order: Float64Array[] = [];
  private start = 0;
  private count = 0;

  // What the next frames hold; what was there before stays for names that go on.
  setNames(names: string[]): void {
    this.names = names;
    const columns = new Map<string, Float64Array>();
    for (const name of names) columns.set(name, this.columns.get(name) ?? new Float64Array(CAPACITY).fill(NaN));
    this.columns = columns;
    this.order = names.map((name) => columns.get(name) as Float64Array);
  }

  push(t: number, values: Float64Array): void {
    const last = this.count ? this.t[(this.start + this.count - 1) % CAPACITY]! : -Infinity;
    if (values.length !== this.order.length) return;
    if (t < last) this.clear();
    // a paused run brings the same row again, perhaps with more signals
    if (t === last) --this.count;
    if (this.count === CAPACITY) this.start = (this.start + 1) % CAPACITY;
    else ++this.count;
    const at = (this.start + this.count - 1) % CAPACITY;
    this.t[at] = t;
    for (let k = 0; k < this.order.length; ++k) this.order[k]![at] = values[k]!;
  }

  clear(): void {
    this.start = 0;
    this.count = 0;
    this.marks = [];
    for (const column of this.columns.values()) column.fill(NaN);
  }

  // Something that happened at the last moment that is known.
  mark(text: string): void {
    if (!this.count) return;
    const t = this.t[(this.start + this.count - 1) % CAPACITY]!;
    this.marks = [...this.marks.filter((m) => m.t >= this.t[this.start]!), { t, text }];
  }

  latest(name: string): number {
    return this.count ? (this.columns.get(name)?.[(this.start + this.count - 1) % CAPACITY] ?? NaN) : NaN;
  }

  // The last `window` seconds.
  data(names: string[], window: number): PlotData {
    const end = this.count ? this.t[(this.start + this.count - 1) % CAPACITY]! : 0;
    const rows: number[] = [];
    for (let i = 0; i < this.count; ++i) {
      const at = (this.start + i) % CAPACITY;
      if (this.t[at]! >= end - window) rows.push(at);
    }
    const every = Math.max(1, Math.ceil(rows.length / SHOWN));
    const kept = every === 1 ? rows : rows.filter((_, i) => i % every === 0 || i === rows.length - 1);
    const column = (name: string) => {
      const values = this.columns.get(name);
      return kept.map((at) => {
        const x = values?.[at] ?? NaN;
        return Number.isFinite(x) ? x : null;
      });
    };
    return { t: kept.map((at) => this.t[at]!), columns: names.map(column) };
  }
}
