// What the server says (docs/live-protocol.md), as types, and how a frame is read.
import { POSE, type Scene } from "../common/scene";
import type { Signal } from "../common/plot";

export interface NumberEntry {
  path: string;
  value: number | string | null; // null: the model does not say it
  unit: string;
}

export interface Plan {
  coordinates: string;
  formulation: string;
  integrator: string;
  step: number;
  tolerance: number;
}

// What may be put between two points: a joint with so many axes, or a force with the numbers it asks for.
export interface Connection {
  part: "joint" | "force";
  kind: string;
  axes: number;
  asked: { key: string; unit: string; value: number }[];
}

export interface Model {
  event: "model";
  revision: number;
  path: string;
  scene: Scene;
  plan: Plan;
  signals: Signal[];
  numbers: NumberEntry[];
  choices: {
    coordinates: string[];
    formulations: string[];
    integrators: string[];
    pairs: Record<string, string[]>;
    unfit?: Record<string, string>;
    connections: Connection[];
  };
  undo: string | null;
  redo: string | null;
}

export interface Status {
  event: "status";
  paused: boolean;
  speed: number;
  t: number;
  step: number;
  clients: number;
  timeline?: Timeline;
}

// What can be gone back to: steps of the present branch, its edits, and branches that were left.
export interface Timeline {
  branch: number;
  from_t: number; // s, where it left the branch before
  begin: number; // steps
  end: number;
  begin_t: number;
  end_t: number;
  ghosts: { branch: number; from_t: number; end_t: number }[];
  edits: { t: number; label: string }[];
  bytes: number;
  most: number;
}

export interface Subscribed {
  event: "subscribed";
  revision: number;
  signals: string[];
}

export interface JournalEntry {
  event: "journal";
  entry: { step: number; t: number; edit: Record<string, unknown> };
}

export type Level = "info" | "warning" | "error";
export interface Message {
  event: "message";
  level: Level;
  text: string;
  t?: number;
}

// How the mechanism can move where it starts, without its drivers.
export interface Mobility {
  event: "mobility";
  revision: number;
  known: boolean;
  freedoms: number;
  named: string[];
  drivers: number;
  redundant: number;
  sets: { joints: string[]; redundant: number; here: number }[];
  locked: boolean;
}

// The program has no model yet: one is opened or drawn.
export interface NoModel {
  event: "no-model";
}

// This page may look, and change nothing.
export interface Watching {
  event: "watching";
}

export type ServerEvent = Model | Status | Subscribed | JournalEntry | Message | Mobility | NoModel | Watching;

// What is wrong with a text, where, and what to do about it.
export interface TextError {
  line: number; // 0: the whole
  column: number;
  message: string;
  remedy: string;
}

export interface Reply {
  reply: number | null;
  ok: boolean;
  error?: string;
  errors?: TextError[];
  revision?: number;
  anew?: boolean;
  t?: number[];
  columns?: (number | null)[][];
  poses?: number[];
  places?: number[]; // of a workspace
  ended?: string;
  html?: string;
  text?: string;
  notes?: string[];
  impulse?: number;
  moved?: number;
  energy?: number;
  yaml?: string;
  journal?: unknown;
  name?: string;
}

export type Command = { do: string } & Record<string, unknown>;

const MAGIC = 0x4c4d5254; // "TRML"
const HEAD = 40;
export const PULL = 8; // numbers per pull: body, 0, point x y z, target x y z
export const PAUSED = 1;
export const MARKED = 2;
export const FAILED = 4;

// A state as the server sends it. The arrays are views into the message: nothing is copied.
export class Frame {
  readonly revision: number;
  readonly t: number;
  readonly step: number;
  readonly ratio: number; // simulated seconds per second over those asked for
  readonly flags: number;
  readonly signals: Float64Array;
  readonly poses: Float32Array;
  readonly pulls: Float32Array;

  constructor(buffer: ArrayBuffer) {
    const head = new DataView(buffer);
    if (buffer.byteLength < HEAD || head.getUint32(0, true) !== MAGIC) throw new Error("a frame of another kind");
    this.revision = head.getUint32(4, true);
    this.t = head.getFloat64(8, true);
    this.step = Number(head.getBigUint64(16, true));
    this.ratio = head.getFloat32(24, true);
    this.flags = head.getUint8(28);
    const pulls = head.getUint8(29);
    const signals = head.getUint16(30, true);
    const bodies = head.getUint32(32, true);
    const size = HEAD + 8 * signals + 4 * (POSE * bodies + PULL * pulls);
    if (buffer.byteLength !== size) throw new Error(`a frame of ${buffer.byteLength} bytes instead of ${size}`);
    this.signals = new Float64Array(buffer, HEAD, signals);
    this.poses = new Float32Array(buffer, HEAD + 8 * signals, POSE * bodies);
    this.pulls = new Float32Array(buffer, HEAD + 8 * signals + 4 * POSE * bodies, PULL * pulls);
  }
}

const HISTORY_MAGIC = 0x484d5254; // "TRMH"
const HISTORY_HEAD = 48;

export const isHistory = (buffer: ArrayBuffer) =>
  buffer.byteLength >= HISTORY_HEAD && new DataView(buffer).getUint32(0, true) === HISTORY_MAGIC;

// Rows of the past, one for every step that was asked for: the answer to `history`.
export class HistoryBlock {
  readonly id: number;
  readonly branch: number;
  readonly columns: number;
  readonly bodies: number;
  readonly every: number;
  readonly first: number;
  readonly last: number; // step that the branch had reached
  readonly t: Float64Array;
  readonly values: Float64Array; // row after row
  readonly poses: Float32Array;

  constructor(buffer: ArrayBuffer) {
    const head = new DataView(buffer);
    const whole = (at: number) => Number(head.getBigUint64(at, true));
    this.id = head.getUint32(4, true);
    this.branch = head.getUint32(8, true);
    const rows = head.getUint32(12, true);
    this.columns = head.getUint32(16, true);
    this.bodies = head.getUint32(20, true);
    this.every = whole(24);
    this.first = whole(32);
    this.last = whole(40);
    this.t = new Float64Array(buffer, HISTORY_HEAD, rows);
    this.values = new Float64Array(buffer, HISTORY_HEAD + 8 * rows, rows * this.columns);
    this.poses = new Float32Array(buffer, HISTORY_HEAD + 8 * rows * (1 + this.columns), POSE * rows * this.bodies);
  }
}
