// The amplitudes of a signal over frequency: discrete Fourier transform with a Hann window, whose mean is taken out.

export interface Spectrum {
  frequency: number[]; // Hz
  amplitude: number[]; // of a sine of that frequency
}

// Samples at even distances of dt; as many as the last power of two.
export function spectrum(samples: number[], dt: number): Spectrum {
  const n = 2 ** Math.floor(Math.log2(samples.length));
  const mean = samples.slice(0, n).reduce((a, b) => a + b, 0) / n;
  const re = Float64Array.from({ length: n }, (_, i) => (samples[i]! - mean) * hann(i, n));
  const im = new Float64Array(n);
  transform(re, im);
  const half = n / 2;
  // The window halves amplitudes, and a sine's is shared between two frequencies.
  return {
    frequency: Array.from({ length: half }, (_, k) => k / (n * dt)),
    amplitude: Array.from({ length: half }, (_, k) => (4 * Math.hypot(re[k]!, im[k]!)) / n),
  };
}

const hann = (i: number, n: number) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / n);

// Cooley and Tukey (1965), in place; the length is a power of two.
function transform(re: Float64Array, im: Float64Array): void {
  const n = re.length;
  for (let i = 1, j = 0; i < n; ++i) {
    let bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i >= j) continue;
    [re[i], re[j]] = [re[j]!, re[i]!];
    [im[i], im[j]] = [im[j]!, im[i]!];
  }
  for (let size = 2; size <= n; size *= 2) {
    const angle = (-2 * Math.PI) / size;
    for (let from = 0; from < n; from += size)
      for (let k = 0; k < size / 2; ++k) {
        const [c, s] = [Math.cos(angle * k), Math.sin(angle * k)];
        const [a, b] = [from + k, from + k + size / 2];
        const [x, y] = [re[b]! * c - im[b]! * s, re[b]! * s + im[b]! * c];
        [re[b], im[b]] = [re[a]! - x, im[a]! - y];
        [re[a], im[a]] = [re[a]! + x, im[a]! + y];
      }
  }
}
