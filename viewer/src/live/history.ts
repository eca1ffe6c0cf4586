// The curves of the run: one row for every step that it made, as the program keeps them, and the newest values.
import type { Mark, PlotData, Range } from "../common/plot";
import type { HistoryBlock } from "./protocol";

const CAPACITY = 400_000; // rows: more than six minutes of steps of 1 ms
const BUCKETS = 800; // of a curve: each shows its least and its largest value

// Rows of one branch, without a gap.
export class Rows {
  first = 0; // step of the first row
  count = 0;
  t = new Float64Array(0);
  columns: Float64Array[] = [];

  constructor(
    readonly branch: number,
    readonly names: string[],
  ) {
    this.columns = names.map(() => new Float64Array(0));
  }

  get end(): number {
    return this.first + this.count; // step after the last row
  }

  // Rows that follow, or lie before; rows that are there are replaced: an edit may have changed the last one.
  take(block: HistoryBlock): void {
    const rows = block.t.length;
    if (rows === 0) return;
    if (this.count === 0 || block.first > this.end || block.first + rows < this.first) {
      this.first = block.first;
      this.count = 0;
    }
    const shift = Math.max(0, this.first - block.first);
    this.reserve(shift, Math.max(this.end, block.first + rows) - Math.min(this.first, block.first));
    this.count = Math.max(this.end, block.first + rows) - Math.min(this.first, block.first);
    this.first = Math.min(this.first, block.first);
    const at = block.first - this.first;
    this.t.set(block.t, at);
    const width = block.columns;
    this.columns.forEach((column, c) => {
      for (let r = 0; r < rows; ++r) column[at + r] = block.values[width * r + c]!;
    });
    if (this.count > CAPACITY) this.drop(this.count - CAPACITY);
  }

  // The first row at or after t.
  rowAt(t: number): number {
    let [low, high] = [0, this.count];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.t[middle]! < t) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private reserve(shift: number, rows: number): void {
    if (shift === 0 && rows <= this.t.length) return;
    const size = Math.max(1024, shift ? rows : 2 * rows);
    const moved = (from: Float64Array) => {
      const to = new Float64Array(size);
      to.set(from.subarray(0, this.count), shift);
      return to;
    };
    this.t = moved(this.t);
    this.columns = this.columns.map(moved);
  }

  private drop(rows: number): void {
    for (const column of [this.t, ...this.columns]) column.copyWithin(0, rows, this.count);
    this.first += rows;
    this.count -= rows;
  }
}

export class History {
  names: string[] = []; // of the frames
  marks: Mark[] = [];
  rows = new Rows(0, []);
  ghost: Rows | null = null; // of the branch that was left
  ghostFrom = 0; // s
  private values: Float64Array = new Float64Array(0);
  private t = -Infinity;

  setNames(names: string[]): void {
    this.names = names;
  }

  // The newest frame.
  push(t: number, values: Float64Array): void {
    this.t = t;
    this.values = values;
  }

  latest(name: string): number {
    return this.values[this.names.indexOf(name)] ?? NaN;
  }

  clear(): void {
    this.rows = new Rows(0, []);
    this.ghost = null;
    this.marks = [];
  }

  // Something that happened at the moment that is shown.
  mark(text: string): void {
    if (!Number.isFinite(this.t)) return;
    this.marks = [...this.marks.filter((m) => m.t <= this.t), { t: this.t, text }];
  }

  // What a plot shows between two times: of every pixel's steps the extremes, so that no oscillation is lost.
  data(names: string[], range: Range): PlotData {
    const main = thinned(this.rows, names, range);
    if (!this.ghost) return main;
    const ghost = thinned(this.ghost, names, { min: Math.max(range.min, this.ghostFrom), max: range.max });
    return { ...main, ghost };
  }
}

function thinned(rows: Rows, names: string[], range: Range): PlotData {
  const from = Math.max(0, rows.rowAt(range.min) - 1);
  const to = Math.min(rows.count, rows.rowAt(range.max) + 1);
  const columns = names.map((name) => rows.columns[rows.names.indexOf(name)]);
  const kept = to - from <= 4 * BUCKETS ? sequence(from, to) : extremes(columns, from, to);
  const value = (x: number | undefined) => (x !== undefined && Number.isFinite(x) ? x : null);
  return {
    t: kept.map((r) => rows.t[r]!),
    columns: columns.map((column) => kept.map((r) => value(column?.[r]))),
  };
}

const sequence = (from: number, to: number) => Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);

function extremes(columns: (Float64Array | undefined)[], from: number, to: number): number[] {
  const kept: number[] = [];
  for (let b = 0; b < BUCKETS; ++b) {
    const start = from + Math.floor((b * (to - from)) / BUCKETS);
    const end = from + Math.floor(((b + 1) * (to - from)) / BUCKETS);
    const found = new Set([start, end - 1]);
    for (const column of columns) {
      if (!column) continue;
      let [low, high] = [start, start];
      for (let r = start + 1; r < end; ++r) {
        if (column[r]! < column[low]! || Number.isNaN(column[low]!)) low = r;
        if (column[r]! > column[high]! || Number.isNaN(column[high]!)) high = r;
      }
      found.add(low).add(high);
    }
    kept.push(...[...found].sort((a, b) => a - b));
  }
  return kept;
}
