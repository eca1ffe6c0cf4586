// How fast a motion is replayed, so that it can be watched.

export const SPEEDS = [
  1e-4, 2e-4, 5e-4, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100,
];
const [SHORTEST, LONGEST] = [3, 20]; // s that a replay takes, at the speed that is chosen for it

// Real time where that suits; else so much slower or faster that the motion can be watched.
export function suitableSpeed(duration: number): number {
  const takes = (speed: number) => duration / speed;
  if (!(duration > 0) || (takes(1) >= SHORTEST && takes(1) <= LONGEST)) return 1;
  const fit = SPEEDS.filter((speed) => takes(speed) >= SHORTEST && takes(speed) <= LONGEST);
  return fit.length ? fit[fit.length - 1]! : duration < SHORTEST ? SPEEDS[0]! : SPEEDS[SPEEDS.length - 1]!;
}
