// Poses between two rows: places linearly, turns by the normalized mean. Rows are close to each other.
import { POSE } from "./scene";

// q and −q are the same turn.
export function mixedTurn(a: ArrayLike<number>, b: ArrayLike<number>, part: number): [number, number, number, number] {
  const dot = a[0]! * b[0]! + a[1]! * b[1]! + a[2]! * b[2]! + a[3]! * b[3]!;
  const sign = dot < 0 ? -1 : 1;
  const q = [0, 1, 2, 3].map((k) => a[k]! + part * (sign * b[k]! - a[k]!));
  const n = Math.hypot(...q) || 1;
  return q.map((x) => x / n) as [number, number, number, number];
}

// Row before t and how far it is to the next, 0 to 1.
export function rowAt(times: ArrayLike<number>, t: number): { row: number; part: number } {
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle]! <= t) low = middle;
    else high = middle - 1;
  }
  const next = times[low + 1];
  const part = next === undefined ? 0 : Math.min(1, Math.max(0, (t - times[low]!) / (next - times[low]! || 1)));
  return { row: low, part };
}

// Of all bodies at t, from rows of poses.
export function posesAt(times: ArrayLike<number>, poses: Float32Array, t: number, out: Float32Array): void {
  const { row, part } = rowAt(times, t);
  const next = Math.min(row + 1, times.length - 1);
  const size = out.length;
  const [a, b] = [poses.subarray(row * size, (row + 1) * size), poses.subarray(next * size, (next + 1) * size)];
  for (let i = 0; i < size; i += POSE) {
    for (let k = i; k < i + 3; ++k) out[k] = a[k]! + part * (b[k]! - a[k]!);
    out.set(mixedTurn(a.subarray(i + 3, i + POSE), b.subarray(i + 3, i + POSE), part), i + 3);
  }
}
