// What the server says (docs/live-protocol.md), as types, and how a frame is read.
import { POSE, type Scene } from "../common/scene";
import type { Signal } from "../common/plot";

export interface NumberEntry {
  path: string;
  value: number | string;
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

export type ServerEvent = Model | Status | Subscribed | JournalEntry | Message | Mobility | NoModel;

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
