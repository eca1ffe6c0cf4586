// Studies of the model from its start, made beside the live run: families of curves over a parameter, methods side by
// side, phase plots, spectra.
import { h } from "../../common/dom";
import { icon } from "../../common/icons";
import { colour as themeColour } from "../../common/theme";
import type { App } from "../app";
import type { SidePanel } from "../panels";
import type { Model, Reply } from "../protocol";
import { analyses } from "./analyses";
import { chart, type Series } from "./chart";
import { Ghosts } from "./ghosts";
import { spectrum } from "./spectrum";

const COLOURS = ["var(--c1)", "var(--c2)", "var(--c3)", "var(--c4)", "var(--c5)"];
const FAMILY = 12; // curves of a family that are kept
const VARIANTS = 4;
const POINTS = 300;
const SAMPLES = 1024; // of a spectrum
type Kind = "family" | "compare" | "phase" | "spectrum" | "analyses";
const KINDS: [Kind, string][] = [
  ["family", "Parameter"],
  ["compare", "Methods"],
  ["phase", "Two signals"],
  ["spectrum", "Spectrum"],
  ["analyses", "Analyses"],
];

interface Trial {
  t: number[];
  columns: number[][];
  poses: number[];
}

export class StudyPanel implements SidePanel {
  readonly name = "study";
  readonly label = "Study";
  readonly element: HTMLElement;
  readonly ghosts: Ghosts;
  private readonly body = h("div.study-body");
  private kind: Kind = "family";
  private family: Series[] = [];
  private readonly chosen = new Map<string, string>(); // signals, by the label of their field
  private asking = false;
  private path = "";

  constructor(private readonly app: App) {
    this.ghosts = new Ghosts(app.stage);
    const tabs = KINDS.map(([kind, label]) =>
      h("button.flat", { "data-study": kind, onclick: () => this.choose(kind) }, label),
    );
    const close = h(
      "button.flat",
      { title: "Close (V)", "aria-label": "Close the study", onclick: () => this.toggle() },
      icon("close"),
    );
    this.element = h(
      "section.panel.text.study",
      { id: "panel-study" },
      h("header", {}, h("h2", {}, "Study"), close),
      h("nav.study-tabs", {}, ...tabs),
      this.body,
    );
    app.panels.add(this);
  }

  toggle(): void {
    this.app.panels.toggle(this);
  }

  shown(yes: boolean): void {
    if (yes) this.choose(this.kind);
    else this.ghosts.clear();
  }

  modelShown(model: Model): void {
    if (model.path !== this.path) {
      this.family = [];
      this.chosen.clear();
      this.ghosts.clear();
    }
    const another = model.path !== this.path;
    this.path = model.path;
    if (this.app.panels.isOpen(this) && another) this.choose(this.kind);
  }

  private choose(kind: Kind): void {
    this.kind = kind;
    this.ghosts.clear();
    for (const tab of this.element.querySelectorAll<HTMLElement>("[data-study]"))
      tab.classList.toggle("on", tab.dataset["study"] === kind);
    const { model } = this.app;
    if (!model) return;
    const make = {
      family: this.showFamily,
      compare: this.showCompare,
      phase: this.showPhase,
      spectrum: this.showSpectrum,
      analyses: (shown: Model) => analyses(this.app, this.ghosts, shown),
    };
    this.body.replaceChildren(...make[kind].call(this, model));
  }

  // Runs the model once; what goes wrong is said.
  private async run(settings: string[], signals: string[], points: number, poses = false): Promise<Trial | null> {
    const reply: Reply = await this.app.send({
      do: "try",
      settings,
      signals,
      points,
      poses,
      duration: this.duration(),
    });
    if (!reply.ok) {
      this.app.say("error", `${settings.join(", ") || "The model"}: ${reply.error ?? "refused"}`);
      return null;
    }
    if (reply.ended)
      this.app.say("warning", `${settings.join(", ") || "The run"} ends at ${reply.t!.at(-1)} s: ${reply.ended}`);
    return { t: reply.t!, columns: reply.columns!.map((c) => c.map((x) => x ?? NaN)), poses: reply.poses ?? [] };
  }

  private duration(): number {
    const input = this.body.querySelector<HTMLInputElement>("[data-study-time]");
    const value = Number(input?.value.replace(",", "."));
    return value > 0 ? value : 5;
  }

  private field(label: string, input: HTMLElement, unit = ""): HTMLElement {
    return h("label.field", {}, h("span", {}, label), input, h("small", {}, unit));
  }

  private timeField(): HTMLElement {
    return this.field(
      "duration",
      h("input", { type: "text", value: 5, "aria-label": "Duration", "data-study-time": "" }),
      "s",
    );
  }

  // What was chosen before, else a coordinate of a joint or a body; a point mass has no angle to speak of.
  private signalChoice(model: Model, label: string, prefer: RegExp): HTMLSelectElement {
    const names = model.signals.map((s) => s.name).filter((n) => !["iterations", "realtime"].includes(n));
    const points = model.scene.bodies.filter((b) => b.kind === "point-mass").map((b) => `${b.name}.angle`);
    const first = names.find((n) => prefer.test(n) && !points.includes(n)) ?? names[0];
    const kept = this.chosen.get(label);
    const shown = kept && names.includes(kept) ? kept : first;
    const select = h("select", { "aria-label": label }, ...names.map((n) => h("option", { selected: n === shown }, n)));
    select.addEventListener("change", () => this.chosen.set(label, select.value));
    return select;
  }

  private unit(model: Model, signal: string): string {
    const unit = model.signals.find((s) => s.name === signal)?.unit;
    return unit ? `${signal}, ${unit}` : signal;
  }

  // A slider for each parameter; while it moves, the curves of its values stay.
  private showFamily(model: Model): HTMLElement[] {
    const parameters = Object.entries(model.scene.parameters);
    if (parameters.length === 0)
      return [
        h(
          "p.faint",
          {},
          "This model has no parameters. Give it some in its text: parameters: {L: 0.3 m}, and use L where it has a number.",
        ),
      ];
    const signal = this.signalChoice(model, "Signal", /\.(angle|displacement)$/);
    const plot = h("div.study-plot");
    const draw = () =>
      plot.replaceChildren(...(this.family.length ? [chart(this.family, "t, s", this.unit(model, signal.value))] : []));
    signal.addEventListener("change", () => {
      this.family = [];
      draw();
    });
    const sliders = parameters.map(([name, value]) => this.slider(name, value, signal, draw));
    draw();
    return [this.field("signal", signal), this.timeField(), ...sliders, plot];
  }

  private slider(name: string, value: number, signal: HTMLSelectElement, draw: () => void): HTMLElement {
    const [low, high] = this.rangeOf(name, value);
    const text = (x: number, label: string) =>
      h("input.bound", { type: "text", value: x, "aria-label": `${name} ${label}` });
    const bounds = [text(low, "from"), text(high, "to")];
    const slider = h("input", {
      type: "range",
      min: low,
      max: high,
      step: (high - low) / 200,
      value,
      "aria-label": name,
    });
    const output = h("output", {}, String(Number(value.toPrecision(4))));
    for (const [k, bound] of bounds.entries())
      bound.addEventListener("change", () => {
        slider.setAttribute(k ? "max" : "min", bound.value);
        this.keepRange(name, Number(bounds[0]!.value), Number(bounds[1]!.value));
      });
    const tryIt = async () => {
      output.textContent = String(Number(Number(slider.value).toPrecision(4)));
      if (this.asking) return;
      this.asking = true;
      const asked = slider.value;
      const trial = await this.run([`parameters.${name}=${asked}`], [signal.value], POINTS);
      this.asking = false;
      if (trial) this.addCurve(`${name} = ${Number(Number(asked).toPrecision(4))}`, trial);
      draw();
      if (slider.value !== asked) void tryIt();
    };
    slider.addEventListener("input", () => void tryIt());
    slider.addEventListener(
      "change",
      () => void this.app.perform({ do: "set-parameter", name, value: Number(slider.value) }),
    );
    return h("div.slider", {}, h("span", {}, name), output, bounds[0]!, slider, bounds[1]!);
  }

  private addCurve(name: string, { t, columns }: Trial): void {
    this.family = [...this.family.slice(1 - FAMILY), { name, x: t, y: columns[0]!, colour: "" }];
    this.family.forEach((s, i) => {
      s.faint = i < this.family.length - 1;
      s.colour = s.faint ? "var(--c8)" : "var(--c1)";
    });
  }

  // Half and double the value, until a person says otherwise.
  private rangeOf(name: string, value: number): [number, number] {
    try {
      const kept = JSON.parse(localStorage.getItem(this.key(name)) ?? "null") as [number, number] | null;
      if (kept && kept[0] < kept[1]) return kept;
    } catch {
      // no storage: the usual range
    }
    const ends = value === 0 ? [-1, 1] : [value / 2, value * 2];
    return [Math.min(...ends), Math.max(...ends)];
  }

  private keepRange(name: string, low: number, high: number): void {
    if (!(low < high)) return;
    try {
      localStorage.setItem(this.key(name), JSON.stringify([low, high]));
    } catch {
      // it lasts as long as the page then
    }
  }

  private key(name: string): string {
    return `trammel-range-${this.path}-${name}`;
  }

  // Up to four variants against the model as it is.
  private showCompare(model: Model): HTMLElement[] {
    const known = model.choices.formulations.filter((f) => !model.choices.unfit?.[f] && f !== model.plan.formulation);
    const list = h(
      "datalist",
      { id: "study-settings" },
      ...known.map((f) => h("option", { value: `formulation=${f}` })),
    );
    const inputs = Array.from({ length: VARIANTS }, (_, k) =>
      h("input", {
        type: "text",
        list: "study-settings",
        value: k === 0 && known[0] ? `formulation=${known[0]}` : "",
        "aria-label": `Variant ${k + 1}`,
        placeholder: "step=0.01, parameters.L=0.3, …",
      }),
    );
    const signal = this.signalChoice(model, "Signal", /\.(angle|displacement)$/);
    const plots = h("div.study-plot");
    const go = h("button.primary", { onclick: () => void this.compare(model, inputs, signal.value, plots) }, "Compare");
    const fields = inputs.map((input, k) => this.field(`variant ${k + 1}`, input));
    return [list, ...fields, this.field("signal", signal), this.timeField(), h("div.buttons", {}, go), plots];
  }

  private async compare(model: Model, inputs: HTMLInputElement[], signal: string, plots: HTMLElement): Promise<void> {
    this.ghosts.clear();
    const variants = inputs.map((i) => i.value.trim()).filter(Boolean);
    const base = await this.run([], [signal], POINTS);
    if (!base) return;
    const curves: Series[] = [{ name: "the model", x: base.t, y: base.columns[0]!, colour: COLOURS[0]! }];
    const differences: Series[] = [];
    for (const [k, variant] of variants.entries()) {
      const setting = /^\w+\./.test(variant) ? variant : `--${variant}`;
      const trial = await this.run([setting], [signal], POINTS, true);
      if (!plots.isConnected) return; // another study is shown meanwhile
      if (!trial) continue;
      const colour = COLOURS[k + 1]!;
      curves.push({ name: variant, x: trial.t, y: trial.columns[0]!, colour });
      differences.push({
        name: variant,
        x: trial.t,
        y: trial.columns[0]!.map((y, i) => y - (base.columns[0]![i] ?? NaN)),
        colour,
      });
      if (trial.poses.length === 7 * model.scene.bodies.length * trial.t.length)
        this.ghosts.add(model.scene, trial.t, trial.poses, themeColour(`c${k + 2}`));
    }
    this.follow(this.app.now);
    const legend = h(
      "div.study-legend",
      {},
      ...curves.map((c) => h("span", { "data-colour": c.colour }, swatch(c.colour), c.name)),
    );
    plots.replaceChildren(
      legend,
      chart(curves, "t, s", this.unit(model, signal)),
      h("h4", {}, "Difference from the model"),
      chart(differences, "t, s", signal),
    );
  }

  follow(t: number): void {
    if (this.ghosts.count) this.ghosts.follow(t);
  }

  // One over the other, and both over time on two axes.
  private showPhase(model: Model): HTMLElement[] {
    const x = this.signalChoice(model, "Abscissa", /\.(angle|displacement)$/);
    const y = this.signalChoice(model, "Ordinate", /\.(rate|angle_rate)$/);
    const plots = h("div.study-plot");
    const draw = async () => {
      const trial = await this.run([], [x.value, y.value], 2 * POINTS);
      if (!trial) return;
      const [a, b] = trial.columns as [number[], number[]];
      const over = [
        { name: x.value, x: trial.t, y: a, colour: COLOURS[0]! },
        { name: y.value, x: trial.t, y: b, colour: COLOURS[1]!, second: true },
      ];
      plots.replaceChildren(
        chart(
          [{ name: y.value, x: a, y: b, colour: COLOURS[0]! }],
          this.unit(model, x.value),
          this.unit(model, y.value),
        ),
        h("h4", {}, "Both over time"),
        chart(over, "t, s", `${x.value}, ${y.value}`),
      );
    };
    return this.drawn([this.field("over", x), this.field("signal", y), this.timeField()], plots, draw);
  }

  private showSpectrum(model: Model): HTMLElement[] {
    const signal = this.signalChoice(model, "Signal", /\.(angle|displacement)$/);
    const plots = h("div.study-plot");
    const draw = async () => {
      const trial = await this.run([], [signal.value], SAMPLES);
      if (!trial || trial.t.length < SAMPLES) return;
      const { frequency, amplitude } = spectrum(trial.columns[0]!, trial.t[1]! - trial.t[0]!);
      const peak = amplitude.indexOf(amplitude.reduce((a, b) => Math.max(a, b)));
      plots.replaceChildren(
        chart(
          [{ name: signal.value, x: frequency, y: amplitude, colour: COLOURS[0]! }],
          "frequency, Hz",
          this.unit(model, signal.value),
        ),
        h("p", {}, "Largest at ", h("b", { id: "study-peak" }, frequency[peak]!.toPrecision(4)), " Hz"),
      );
    };
    return this.drawn([this.field("signal", signal), this.timeField()], plots, draw);
  }

  // Again when a field changes.
  private drawn(fields: HTMLElement[], plots: HTMLElement, draw: () => Promise<void>): HTMLElement[] {
    for (const field of fields) field.addEventListener("change", () => void draw());
    queueMicrotask(() => void draw());
    return [...fields, plots];
  }
}

function swatch(colour: string): HTMLElement {
  const mark = h("i.swatch", {});
  mark.style.background = colour;
  return mark;
}
