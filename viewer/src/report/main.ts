// The report page of a run: what happened, the curves, the motion, and what was computed.
import "uplot/dist/uPlot.min.css";
import "../common/base.css";
import "./report.css";
import { byId, h, shown } from "../common/dom";
import { icon } from "../common/icons";
import { type Mark, type PlotData, PlotPanel, type PlotSource } from "../common/plot";
import { drawingNotes } from "../common/scene";
import { sharedView } from "../common/shared";
import { initTheme, onTheme, toggleTheme } from "../common/theme";
import { addStyle, analysisHead, section } from "./analysis";
import { ModesRun } from "./modes";
import { overview } from "./overview";
import { highlighted } from "./yaml";
import { Replay } from "./replay";
import { Run, type RunData } from "./run";

class RunSource implements PlotSource {
  readonly axis: string;
  constructor(private readonly run: Run) {
    const analysis = run.data.analysis;
    const over = analysis?.swept || (analysis?.goes_back ? "time" : "t");
    const on = analysis?.goes_back ? ", counted on after dead positions" : "";
    this.axis = analysis?.rows || `${over}${on} [${analysis?.unit ?? "s"}]`;
  }
  signals() {
    return this.run.data.channels.filter((c) => c.name !== "t").map(({ name, unit }) => ({ name, unit }));
  }
  data(names: string[]): PlotData {
    const list = (x: Float32Array | null) => Array.from(x ?? [], (v) => (Number.isNaN(v) ? null : v));
    return {
      t: Array.from(this.run.t),
      columns: names.map((name) => list(this.run.column(name))),
      errors: names.map((name) => list(this.run.errors(name))),
    };
  }
  marks(names: string[]): Mark[] {
    return this.run.marks(names);
  }
}

const SHAPES =
  "Small motions, drawn larger, one period in two seconds; decay and growth are left out. A motion that does not oscillate swings to and fro.";

// What a person looks at first: [names, logarithmic].
function firstPlots(run: Run): [string[], boolean][] {
  const all = run.data.channels;
  const of = (test: (name: string, group: string) => boolean, most: number) =>
    all
      .filter((c) => test(c.name, c.group))
      .slice(0, most)
      .map((c) => c.name);
  const analysis = run.data.analysis?.name;
  const peak = (run.data.summary["peak_reaction"] as { joint?: string } | undefined)?.joint ?? "";
  const places = of((_n, g) => g.startsWith("points/"), Infinity).slice(run.data.scene.planar ? -4 : -3);
  const joints = (quantity: string) => of((n, g) => g.startsWith("joints/") && n.endsWith(`.${quantity}`), 4);
  const efforts = all.filter((c) => run.data.scene.drivers.some((d) => c.name === `${d.name}.effort`));
  const plots: [string[], boolean][] = [
    [
      efforts
        .filter((c) => c.unit === efforts[0]?.unit)
        .slice(0, 4)
        .map((c) => c.name),
      false,
    ],
    [of((n, g) => g.startsWith("joints/") && /\.(angle|displacement|distance)$/.test(n), 4), false],
    [places.length ? places : of((n, g) => g.startsWith("bodies/") && /^[^.]+\.[xyz]$/.test(n), 3), false],
    [of((n, g) => g === "columns" && n !== "", 4), false],
    [all.filter((c) => c.name.startsWith(`${peak}.force.`) && !c.name.endsWith("unique")).map((c) => c.name), false],
    ...(analysis === "kinematics"
      ? (["rate", "acceleration", "ratio", "transmission_angle"].map((q) => [joints(q), false]) as [
          string[],
          boolean,
        ][])
      : []),
    [analysis ? of((n) => n.endsWith(".curvature"), 4) : [], false],
    [["energy.kinetic", "energy.potential"], false],
    [["energy.drift"], false],
    // An analysis tells at its head how well the joints are closed.
    [analysis ? [] : ["violation.position", "violation.velocity", "violation.acceleration"], true],
  ];
  return plots
    .map(([names, log]): [string[], boolean] => [names.filter((n) => run.has(n)), log])
    .filter(([names]) => names.length > 0);
}

function plots(run: Run, replay: Replay | null): HTMLElement {
  const grid = h("div.plots");
  const panel = new PlotPanel(grid, new RunSource(run));
  const shared = sharedView()
    ?.plots.map(({ names, log }): [string[], boolean] => [names.filter((n) => run.has(n)), log])
    .filter(([names]) => names.length > 0);
  requestAnimationFrame(() => (shared ?? firstPlots(run)).forEach(([names, log]) => panel.add(names, log)));
  onTheme(() => panel.rebuild());
  if (replay) replay.onTime = (t) => panel.mark(t);
  const add = h("button", { onclick: () => panel.add([]).choose(add) }, icon("plus"), "Plot");
  const note = run.data.every > 1 ? `One row of ${run.data.every} is shown; results.h5 has all. ` : "";
  return h(
    "section",
    {},
    h("div.heading", {}, h("h2", {}, "Curves"), add),
    h(
      "p.faint",
      {},
      `${note}Drag across a plot to zoom, double-click to see all of it.`,
      run.data.errors ? " A band around a curve is its estimated error." : "",
    ),
    grid,
  );
}

function start(): void {
  initTheme();
  // report.html#replay is the motion alone, as a frame of another page.
  document.body.classList.toggle("alone", location.hash === "#replay");
  const data = JSON.parse(byId("run").textContent ?? "") as RunData;
  const analysis = data.analysis;
  const run = analysis?.modes ? new ModesRun(data, analysis.modes) : new Run(data);
  const main = byId("report");
  main.replaceChildren(analysis ? analysisHead(analysis) : overview(data));
  if (analysis) addStyle(analysis.style);
  // A page that shows curves shows where they come from first.
  const swings = run instanceof ModesRun && run.shapes.modes.length > 0;
  if (analysis) main.append(section(analysis.plots));
  let replay: Replay | null = null;
  if (data.scene.bodies.length > 0 && (data.rows > 0 || swings)) {
    try {
      replay = new Replay(run);
      const heading = swings ? "Shapes" : (analysis?.rows ?? "") ? "Places" : "Motion";
      main.append(h("h2", {}, heading), replay.element);
      if (swings) main.append(h("p.faint", {}, SHAPES));
      if (data.scene.notes.length > 0) main.append(h("p.faint", {}, drawingNotes(data.scene.notes)));
    } catch (error) {
      main.append(
        h(
          "p.faint",
          {},
          `This browser cannot draw the motion (${(error as Error).message}); the curves below are complete.`,
        ),
      );
    }
  }
  if (analysis) main.append(section(analysis.details));
  if (data.rows > 1 && !run.steps) main.append(plots(run, replay));
  if (!analysis) main.append(plan(data));
  main.append(model(data));
  const view = sharedView();
  if (view) replay?.adopt(view);
  main.append(h("footer.faint", {}, `Trammel ${data.version}`));
  byId("theme").addEventListener("click", toggleTheme);
  addEventListener("keydown", (event) => {
    if (event.key !== " " || event.target instanceof HTMLInputElement || event.target instanceof HTMLButtonElement)
      return;
    event.preventDefault();
    replay?.toggle();
  });
}

/** Keys as in the model file, "simulate.projection.sweeps", one row for each value. */
function rowsOf(value: unknown, key = ""): [string, string][] {
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return Object.entries(value).flatMap(([name, one]) => rowsOf(one, key ? `${key}.${name}` : name));
  const text = typeof value === "number" ? shown(value) : typeof value === "string" ? value : JSON.stringify(value);
  return [[key.replaceAll("_", " "), text]];
}

function plan(data: RunData): HTMLElement {
  const rows = rowsOf({ ...data.creation, ...data.plan });
  return h(
    "details",
    {},
    h("summary", {}, "Plan"),
    h("table", {}, ...rows.map(([key, text]) => h("tr", {}, h("th", {}, key), h("td.number", {}, text)))),
  );
}

function model(data: RunData): HTMLElement {
  const text = h("pre", {});
  text.append(highlighted(data.model));
  const copy = h("button", { onclick: () => void navigator.clipboard.writeText(data.model) }, "Copy");
  return h("details.model", { open: data.model.length < 4000 }, h("summary", {}, "Model"), copy, text);
}

start();
