// The head of the report: what was run, whether it went well, and the figures that a person asks for first.
import { h, known, scientific, shown } from "../common/dom";
import { icon } from "../common/icons";
import { knownUntil, type RunData } from "./run";

type Values = Record<string, unknown>;

const VERDICT: Record<string, string> = {
  ok: "every step met the full criterion",
  limited: "not every figure is known to the accuracy asked for, to the end",
  marked: "some steps met only the weaker criterion",
  doubtful: "every step was accepted, but do not trust this motion",
  failed: "the run ended before its time",
  stopped: "the run was interrupted",
};

export function overview(data: RunData): HTMLElement {
  const s = data.summary;
  const status = String(s["status"] ?? "");
  return h(
    "header.overview",
    {},
    h(
      "div.title",
      {},
      h("h1", {}, data.title),
      h(`span.status.${status}`, {}, status),
      h("span.spring", {}),
      h("button.flat", { id: "theme", title: "Light or dark", "aria-label": "Light or dark" }, icon("theme")),
    ),
    h(
      "p.faint",
      {},
      `${s["coordinates"]} coordinates, ${s["formulation"]}, ${s["integrator"]}: ${VERDICT[status] ?? ""}.`,
    ),
    message(s),
    h("dl.figures", {}, ...figures(s)),
    lists(s),
  );
}

function message(s: Values): HTMLElement | null {
  const lines = [...(s["message"] ? [s["message"]] : []), ...((s["warnings"] ?? []) as unknown[])];
  return lines.length ? h("p.message", {}, lines.map(String).join("; ")) : null;
}

function figure(label: string, value: string, note = ""): HTMLElement {
  return h("div", {}, h("dt", {}, label), h("dd", {}, value), note ? h("dd.note", {}, note) : null);
}

function figures(s: Values): HTMLElement[] {
  const violation = (s["violation"] ?? {}) as Record<string, number>;
  const energy = (s["energy"] ?? {}) as Record<string, number>;
  const peak = (s["peak_reaction"] ?? {}) as Peak;
  const number = (key: string) => Number(s[key] ?? NaN);
  const wall = number("wall_seconds");
  const list = [
    figure(
      "Degrees of freedom",
      String(s["degrees_of_freedom"]),
      `${s["unknowns"]} unknowns, ${s["constraints"]} constraints`,
    ),
    figure(
      "Simulated",
      `${shown(number("simulated_seconds"))} s`,
      wall > 0 ? `in ${shown(wall)} s: ${Number((number("simulated_seconds") / wall).toPrecision(2))} × real time` : "",
    ),
    figure(
      "Steps",
      String(s["steps"]),
      `${shown(number("iterations") / Math.max(number("steps"), 1))} iterations each, ${s["rejected_steps"]} repeated`,
    ),
    figure(
      "Largest violation",
      small(violation["position"] ?? NaN),
      `velocity ${small(violation["velocity"] ?? NaN)}, acceleration ${small(violation["acceleration"] ?? NaN)}`,
    ),
    figure(
      "Energy drift",
      `${small(energy["max_drift"] ?? NaN)} J`,
      `of ${shown(energy["initial"] ?? NaN)} J at the start`,
    ),
  ];
  list.push(...missingFigures(s), ...errorFigures(s));
  if (peak.joint) list.push(peakFigure(peak));
  if (number("redundant_constraints") > 0)
    list.push(figure("Redundant constraints", String(s["redundant_constraints"])));
  const unique = (s["reactions"] as { unique?: boolean | null } | undefined)?.unique;
  if (unique === false)
    list.push(
      figure("Reactions", "not unique", "some components are one choice of many: reactions.not_unique in summary.json"),
    );
  return list;
}

interface Peak {
  force?: number;
  joint?: string;
  t?: number;
  error?: number | null;
  converged?: boolean | null;
  without?: string | null;
}

function peakFigure(peak: Peak): HTMLElement {
  const where = `at ${peak.joint}, t = ${shown(peak.t ?? NaN)} s`;
  const force = peak.force ?? NaN;
  const label = peak.without ? `Peak reaction (without ${peak.without})` : "Peak reaction";
  if (peak.converged === false)
    return figure(label, "not known", `${where}: ${shown(force)} N ± ${small(peak.error ?? NaN)} N`);
  return figure(label, `${known(force, peak.error ?? 0)} N`, where);
}

// Columns that are not a finite number in some rows.
function missingFigures(s: Values): HTMLElement[] {
  const missing = (s["missing"] ?? []) as { column: string; from: number; rows: number }[];
  const first = missing[0];
  if (!first) return [];
  const others = missing.length > 1 ? `, and ${missing.length - 1} more` : "";
  return [
    figure(
      "Missing values",
      first.column,
      `not a finite number in ${first.rows} rows from t = ${shown(first.from)} s${others}`,
    ),
  ];
}

// What a second run told of the errors of this one.
function errorFigures(s: Values): HTMLElement[] {
  const error = s["error"] as Record<string, unknown> | null | undefined;
  if (!error) return [];
  const units: [string, string][] = [
    ["position", "m"],
    ["angle", "rad"],
    ["velocity", "m/s"],
    ["reaction", "N"],
  ];
  const there = units.filter(([kind]) => typeof error[kind] === "number");
  const size = (kind: string) => small(Number(Number(error[kind]).toPrecision(2)));
  const text = ([kind, unit]: [string, string]) => `${kind} ${size(kind)} ${unit}`;
  const list: HTMLElement[] = [];
  if (there[0])
    list.push(
      figure(
        `Largest error of ${there[0][0]}`,
        `${size(there[0][0])} ${there[0][1]}`,
        [...there.slice(1).map(text), String(error["reference"])].join(", "),
      ),
    );
  const limit = knownUntil(s);
  if (limit)
    list.push(
      figure(
        "Known until",
        `${shown(limit.t)} s`,
        `${limit.kind}, to ${small(Number(error["accuracy"]))} of its range`,
      ),
    );
  return list;
}

// Marked steps and events, if there are some.
function lists(s: Values): HTMLElement | null {
  const marked = (s["marked_steps"] ?? []) as { t: number; reason: string; joint: string }[];
  const events = (s["events"] ?? []) as { t: number; kind: string; name: string }[];
  if (!marked.length && !events.length) return null;
  const table = (head: string[], rows: string[][]) =>
    h(
      "table",
      {},
      h("tr", {}, ...head.map((x) => h("th", {}, x))),
      ...rows.map((r) => h("tr", {}, ...r.map((x) => h("td.number", {}, x)))),
    );
  return h(
    "div",
    {},
    marked.length
      ? h(
          "details",
          {},
          h("summary", {}, `Marked steps: ${marked.length}`),
          table(
            ["t, s", "joint", "reason"],
            marked.slice(0, 200).map((m) => [shown(m.t), m.joint, m.reason]),
          ),
        )
      : null,
    events.length
      ? h(
          "details",
          {},
          h("summary", {}, `Events: ${events.length}`),
          table(
            ["t, s", "kind", "name"],
            events.slice(0, 500).map((e) => [shown(e.t), e.kind, e.name]),
          ),
        )
      : null,
  );
}

const small = (x: number) => (Math.abs(x) >= 1e-2 && Math.abs(x) < 1e4 ? shown(x) : scientific(x));
