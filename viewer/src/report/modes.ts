// Modes of vibration: the mechanism swings in a shape, about where it rests.
//
//   r = r₀ + a Re(û e^{iφ}),   R = exp(a Re(θ̂ e^{iφ})) R₀          a: amplitude, φ: phase
//
// Shapes are those of small motions, drawn larger: joints open by the square of the amplitude.
import { POSE } from "../common/scene";
import { Run, type RunData, turned } from "./run";

export interface ModeShapes {
  rest: { x: number; y: number; z?: number; angle?: number; q?: [number, number, number, number] }[];
  size: number; // m, of the mechanism
  modes: { label: string; oscillates: boolean; real: number[]; imaginary: number[] }[]; // six numbers for each body
}

/** Seconds of the page in which a mode swings once, whatever its frequency is. */
const PERIOD = 2;
/** Of the mechanism's size. */
export const AMPLITUDE = { least: 0, most: 0.6, first: 0.2 };

export class ModesRun extends Run {
  mode: number;
  amplitude = AMPLITUDE.first;

  constructor(
    data: RunData,
    readonly shapes: ModeShapes,
  ) {
    super(data);
    this.mode = Math.max(
      0,
      shapes.modes.findIndex((one) => one.oscillates),
    );
  }

  override get end(): number {
    return PERIOD;
  }

  override get loops(): boolean {
    return true;
  }

  override shownAt(t: number): string {
    return `${Math.round((360 * t) / PERIOD)}°`;
  }

  /** Phases that show everywhere the bodies go. */
  override get moments(): number[] {
    return Array.from({ length: 49 }, (_x, k) => (k * PERIOD) / 48);
  }

  override poses(t: number, out: Float32Array): void {
    const [c, s] = [Math.cos((2 * Math.PI * t) / PERIOD), Math.sin((2 * Math.PI * t) / PERIOD)];
    const shape = this.shapes.modes[this.mode];
    const by = this.amplitude * this.shapes.size;
    this.shapes.rest.forEach((rest, i) => {
      const part = (k: number) =>
        shape ? by * (c * (shape.real[6 * i + k] ?? 0) - s * (shape.imaginary[6 * i + k] ?? 0)) : 0;
      const half = (rest.angle ?? 0) / 2;
      const q = product(rotation([part(3), part(4), part(5)]), rest.q ?? [Math.cos(half), 0, 0, Math.sin(half)]);
      const com = turned(q, this.data.scene.bodies[i]!.com);
      [rest.x, rest.y, rest.z ?? 0].forEach((x, k) => (out[POSE * i + k] = x + part(k) - com[k]!));
      out.set(q, POSE * i + 3);
    });
  }
}

/** The turn by a rotation vector. */
function rotation([x, y, z]: [number, number, number]): number[] {
  const angle = Math.hypot(x, y, z);
  const s = angle > 0 ? Math.sin(angle / 2) / angle : 0.5;
  return [Math.cos(angle / 2), s * x, s * y, s * z];
}

function product([a, b, c, d]: number[], [w, x, y, z]: number[]): number[] {
  return [
    a! * w! - b! * x! - c! * y! - d! * z!,
    a! * x! + b! * w! + c! * z! - d! * y!,
    a! * y! - b! * z! + c! * w! + d! * x!,
    a! * z! + b! * y! - c! * x! + d! * w!,
  ];
}
