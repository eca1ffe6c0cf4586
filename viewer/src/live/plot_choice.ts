// Which signals are plotted before a person chooses.
import type { Part } from "../common/scene";
import type { Model } from "./protocol";

// A coordinate, then energy and violation, which tell one formulation from another. A point mass has no angle.
export function usualPlots(model: Model): { names: string[]; log: boolean }[] {
  const points = model.scene.bodies.filter((b) => b.kind === "point-mass").map((b) => `${b.name}.angle`);
  const angle = model.signals.find((s) => /\.(angle|displacement)$/.test(s.name) && !points.includes(s.name))?.name;
  return [
    ...(angle ? [{ names: [angle], log: false }] : []),
    { names: ["energy.kinetic", "energy.potential", "energy.balance"], log: false },
    { names: ["violation.position", "violation.velocity"], log: true },
  ];
}

const MOST = 6; // curves of a plot

// The signals that say most of a part: coordinate, place, force.
export function plotsOfPart({ signals }: Model, part: Part): string[][] {
  const mine = signals.map((s) => s.name).filter((name) => name.startsWith(`${part.name}.`));
  const kinds = [/\.(angle|displacement|distance)$/, /^[^.]+\.[xyz]$/, /\.force\.[xyz]$/];
  return kinds.map((kind) => mine.filter((name) => kind.test(name)).slice(0, MOST)).filter((names) => names.length > 0);
}
