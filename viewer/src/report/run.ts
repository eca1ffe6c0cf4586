// A run as the program embeds it (src/results/report/report.cpp).
import type { Mark } from "../common/plot";
import { mixedTurn, rowAt } from "../common/poses";
import { POSE, type Scene } from "../common/scene";
import type { AnalysisData } from "./analysis";

export interface Channel {
  name: string;
  group: string;
  unit: string;
}

export interface RunData {
  title: string;
  version: string;
  summary: Record<string, unknown>;
  plan: Record<string, unknown>;
  creation: Record<string, unknown>; // date, command, settings, model file
  model: string;
  scene: Scene;
  rows: number;
  every: number; // one row of so many is here
  channels: Channel[];
  values: string; // base64 of float32, one channel after the other
  errors?: string; // the same of their errors, NaN where none is known
  analysis?: AnalysisData; // of an analysis: there is no summary
}

/** The first time from which on some kind of figure errs by more than the accuracy asked for. */
export interface Limit {
  t: number;
  kind: string; // "velocity"
}

// What summary.json calls figures of a unit (src/simulation/error_estimate.cpp).
const KINDS: Record<string, string> = {
  m: "position",
  rad: "angle",
  "m/s": "velocity",
  "rad/s": "angular_velocity",
  N: "reaction",
  "N.m": "torque",
  J: "energy",
};

/** units: of the figures that count; without them all do. */
export function knownUntil(summary: Record<string, unknown>, units?: string[]): Limit | null {
  const error = summary["error"] as { known_until?: Record<string, number | null> } | null | undefined;
  const counts = units?.map((unit) => KINDS[unit]);
  return Object.entries(error?.known_until ?? {})
    .filter(([kind]) => !counts || counts.includes(kind))
    .reduce<Limit | null>(
      (first, [kind, t]) => (t === null || (first && first.t <= t) ? first : { t, kind: kind.replaceAll("_", " ") }),
      null,
    );
}

export class Run {
  readonly t: Float32Array;
  private readonly values: Float32Array;
  private readonly errorValues: Float32Array;
  private readonly index = new Map<string, number>();
  private readonly bodies: { position: number[]; turn: number[] }[];

  constructor(readonly data: RunData) {
    this.values = floats(data.values);
    this.errorValues = floats(data.errors ?? "");
    data.channels.forEach((c, i) => this.index.set(c.name, i));
    this.t = this.column("t") ?? new Float32Array();
    this.bodies = data.scene.bodies.map(({ name }) => ({
      position: ["x", "y", "z"].map((c) => this.of(`${name}.${c}`)),
      turn: data.scene.planar ? [this.of(`${name}.angle`)] : ["w", "x", "y", "z"].map((c) => this.of(`${name}.q.${c}`)),
    }));
  }

  get start(): number {
    const analysis = this.data.analysis;
    return analysis?.rows || analysis?.swept ? (this.t[0] ?? 0) : 0;
  }

  get end(): number {
    return this.t[this.t.length - 1] ?? 0;
  }

  /** Whether a replay begins anew at its end. */
  get loops(): boolean {
    return false;
  }

  /** Until when figures are known: those of these names, or all. */
  marks(names?: string[]): Mark[] {
    const units = names?.map((name) => this.data.channels[this.of(name)]?.unit ?? "");
    const limit = knownUntil(this.data.summary, units);
    return limit ? [{ t: limit.t, text: `${limit.kind} known until here` }] : [];
  }

  /** What the clock of a replay shows. */
  shownAt(t: number): string {
    const { rows, swept, unit } = this.data.analysis ?? { rows: "", swept: "", unit: "s" };
    if (rows) return `${rows} ${Math.round(t)}`;
    return swept ? `${swept} ${t.toFixed(3)} ${unit}` : `${t.toFixed(3)} s`;
  }

  /** Times at which paths of points and the box around the motion are read. */
  get moments(): number[] {
    return Array.from(this.t);
  }

  /** Rows that are no motion are shown one by one. */
  get steps(): boolean {
    return Boolean(this.data.analysis?.rows) && this.data.analysis?.rows !== "point";
  }

  has(name: string): boolean {
    return this.index.has(name);
  }

  column(name: string): Float32Array | null {
    const i = this.index.get(name);
    return i === undefined ? null : this.values.subarray(i * this.data.rows, (i + 1) * this.data.rows);
  }

  // The errors of a column's values; null where none is known.
  errors(name: string): Float32Array | null {
    const i = this.index.get(name);
    if (i === undefined || this.errorValues.length < (i + 1) * this.data.rows) return null;
    const column = this.errorValues.subarray(i * this.data.rows, (i + 1) * this.data.rows);
    return column.some((x) => !Number.isNaN(x)) ? column : null;
  }

  // The value between two rows.
  value(name: string, t: number): number {
    const column = this.column(name);
    if (!column) return NaN;
    const { row, part } = this.at(t);
    return column[row]! + part * (column[Math.min(row + 1, this.data.rows - 1)]! - column[row]!);
  }

  // Row before t and how far it is to the next, 0 to 1.
  at(t: number): { row: number; part: number } {
    if (this.steps) return { row: Math.max(0, Math.min(Math.round(t), this.t.length) - 1), part: 0 };
    return rowAt(this.t, t);
  }

  // Poses of the bodies' own axes at t: results hold the centre of mass.
  poses(t: number, out: Float32Array): void {
    const { row, part } = this.at(t);
    const next = Math.min(row + 1, this.data.rows - 1);
    const read = (c: number, r: number) => (c < 0 ? 0 : this.values[c * this.data.rows + r]!);
    this.bodies.forEach(({ position, turn }, i) => {
      const q = mixedTurn(quaternion(turn, row, read), quaternion(turn, next, read), part);
      const com = turned(q, this.data.scene.bodies[i]!.com);
      for (let k = 0; k < 3; ++k) {
        const x = read(position[k]!, row);
        out[POSE * i + k] = x + part * (read(position[k]!, next) - x) - com[k]!;
      }
      out.set(q, POSE * i + 3);
    });
  }

  private of(name: string): number {
    return this.index.get(name) ?? -1;
  }
}

function floats(base64: string): Float32Array {
  return new Float32Array(Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)).buffer);
}

function quaternion(columns: number[], row: number, read: (c: number, r: number) => number): number[] {
  if (columns.length === 4) return columns.map((c) => read(c, row));
  const half = read(columns[0]!, row) / 2;
  return [Math.cos(half), 0, 0, Math.sin(half)];
}

export function turned([w, x, y, z]: number[], [a, b, c]: [number, number, number]): number[] {
  const t = [2 * (y! * c - z! * b), 2 * (z! * a - x! * c), 2 * (x! * b - y! * a)];
  return [
    a + w! * t[0]! + y! * t[2]! - z! * t[1]!,
    b + w! * t[1]! + z! * t[0]! - x! * t[2]!,
    c + w! * t[2]! + x! * t[1]! - y! * t[0]!,
  ];
}
