// One plot: several signals over time, zoomed by dragging, read at the cursor, exported as CSV or PNG.
import uPlot from "uplot";
import { download, h, known, shown, textBlob, unitText } from "./dom";
import { icon } from "./icons";
import { openPicker } from "./picker";
import { colour } from "./theme";

export interface Signal {
  name: string;
  unit: string;
  unique?: boolean; // false: a reaction that the motion does not determine
}

export interface PlotData {
  t: number[];
  columns: (number | null)[][];
  errors?: (number | null)[][]; // of the columns' values, drawn as bands
  ghost?: PlotData; // another motion, drawn pale
}

// Times between which a plot shows its curves.
export interface Range {
  min: number;
  max: number;
}

// Something that happened, shown in every plot.
export interface Mark {
  t: number;
  text: string;
}

// Where plots take their data from.
export interface PlotSource {
  signals(): Signal[];
  // zoomed: what a person has chosen to see.
  data(names: string[], zoomed: Range | null): PlotData;
  // All rows, where the curves are drawn by fewer.
  rows?(names: string[], zoomed: Range | null): Promise<PlotData>;
  marks?(names: string[]): Mark[];
  axis?: string; // what the horizontal axis says
}

const FLOOR = 1e-17; // below which a logarithmic axis shows nothing: a double's last digit of a tenth

export class Plot {
  readonly element: HTMLElement;
  private readonly holder = h("div.plot-canvas");
  private readonly title = h("div.plot-title");
  private chart: uPlot | null = null;
  private data: PlotData = { t: [], columns: [] };
  private now: number | null = null;
  private readouts: HTMLElement[] = [];
  private zoomed: Range | null = null;

  constructor(
    private readonly source: PlotSource,
    public names: string[],
    public log: boolean,
    private readonly changed: () => void,
    private readonly close: (plot: Plot) => void,
  ) {
    const button = (name: string, title: string, onclick: (event: MouseEvent) => void) =>
      h("button.flat", { title, "aria-label": title, onclick }, icon(name));
    this.element = h(
      "section.plot",
      {},
      h("header", {}, this.title),
      h(
        "div.plot-tools",
        {},
        h("button.flat.scale", { title: "Logarithmic axis", onclick: () => this.toggleLog() }, "log"),
        button("plus", "Choose signals", (event) => this.choose(event.currentTarget as HTMLElement)),
        button("table", "Save as CSV", () => void this.saveCsv()),
        button("image", "Save as PNG", () => this.savePng()),
        button("close", "Remove this plot", () => this.close(this)),
      ),
      this.holder,
    );
    new ResizeObserver(() => this.resize()).observe(this.holder);
    this.rebuild();
  }

  // Takes the newest data; a view that a person zoomed stays.
  refresh(): void {
    this.data = this.source.data(this.names, this.zoomed);
    this.showIfAny();
    this.chart?.setData(this.table(), !this.zoomed);
    if (this.zoomed) this.chart?.redraw();
  }

  // The moment that a replay shows.
  mark(t: number | null): void {
    this.now = t;
    this.chart?.redraw(false);
  }

  rebuild(): void {
    this.chart?.destroy();
    this.zoomed = null;
    this.data = this.source.data(this.names, null);
    this.describe();
    this.showIfAny();
    this.chart = new uPlot(this.options(), this.table(), this.holder);
  }

  destroy(): void {
    this.chart?.destroy();
    this.element.remove();
  }

  choose(anchor: HTMLElement): void {
    openPicker(anchor, this.source.signals(), this.names, (names) => {
      this.names = names;
      this.rebuild();
      this.changed();
    });
  }

  // Without values there are no axes to show.
  private showIfAny(): void {
    const any = this.data.columns.some((column) => column.some((x) => x !== null));
    this.holder.classList.toggle("blank", !any);
  }

  private toggleLog(): void {
    this.log = !this.log;
    this.rebuild();
  }

  private describe(): void {
    this.element.querySelector(".scale")?.classList.toggle("on", this.log);
    this.readouts = this.names.map(() => h("output", {}));
    const stem = commonStem(this.names);
    const chips = this.names.map((name, i) =>
      h(
        "span.chip",
        { title: name, style: `--mark: var(--c${(i % 8) + 1})` },
        name.slice(stem.length),
        this.readouts[i],
      ),
    );
    if (stem) chips.unshift(h("span.stem", {}, stem.slice(0, -1)));
    this.title.replaceChildren(...(chips.length ? chips : [h("span.faint", {}, "No signal chosen")]));
  }

  private units(): Map<string, string> {
    return new Map(this.source.signals().map((s) => [s.name, s.unit]));
  }

  private table(): uPlot.AlignedData {
    const { t, columns } = this.data;
    const y = this.log ? columns.map((c) => c.map((x) => (x === null ? null : Math.max(Math.abs(x), FLOOR)))) : columns;
    return [t, ...y] as uPlot.AlignedData;
  }

  private options(): uPlot.Options {
    const units = this.units();
    const ink = colour("faint");
    const axis: uPlot.Axis = {
      stroke: ink,
      grid: { stroke: colour("line"), width: 1 },
      ticks: { stroke: colour("line"), width: 1, size: 4 },
      font: "11px system-ui, sans-serif",
    };
    const unit = [...new Set(this.names.map((n) => units.get(n) ?? ""))].filter(Boolean).join(", ");
    return {
      width: Math.max(this.holder.clientWidth, 120),
      height: Math.max(this.holder.clientHeight, 120),
      legend: { show: false },
      scales: { x: { time: false }, y: { distr: this.log ? 3 : 1 } },
      axes: [
        {
          ...axis,
          size: 24,
          gap: 3,
          ...(this.source.axis
            ? { label: this.source.axis, labelSize: 16, labelGap: 0, labelFont: "11px system-ui, sans-serif" }
            : {}),
        },
        {
          ...axis,
          size: 54,
          gap: 3,
          label: unitText(unit),
          labelSize: 14,
          labelGap: 0,
          labelFont: "11px system-ui, sans-serif",
          values: (_u, v) => v.map((x) => (x === null ? "" : tick(x))),
          ...(this.log ? { splits: decades } : {}),
        },
      ],
      cursor: { drag: { x: true, y: false }, points: { size: 6 } },
      series: [
        {},
        ...this.names.map((name, i) => ({
          label: name,
          stroke: colour(`c${(i % 8) + 1}`),
          width: 1.6,
          points: { show: false },
          spanGaps: false,
        })),
      ],
      hooks: {
        setSelect: [(u) => this.zoom(u)],
        ready: [(u) => u.over.addEventListener("dblclick", () => (this.zoomed = null))],
        drawAxes: [
          (u) => {
            this.drawBands(u);
            this.drawGhost(u);
          },
        ],
        draw: [(u) => this.drawMarks(u)],
        setCursor: [(u) => this.read(u)],
      },
    };
  }

  // With more of the rows that it shows now.
  private zoom(u: uPlot): void {
    const { left, width } = u.select;
    if (!(width > 0)) return;
    this.zoomed = { min: u.posToVal(left, "x"), max: u.posToVal(left + width, "x") };
    requestAnimationFrame(() => this.refresh());
  }

  // Another motion than the one that is shown.
  private drawGhost(u: uPlot): void {
    const { ghost } = this.data;
    if (!ghost) return;
    const { ctx, bbox } = u;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.globalAlpha = 0.4;
    ctx.lineWidth = 1.2 * devicePixelRatio;
    ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
    ghost.columns.forEach((column, k) => {
      ctx.strokeStyle = colour(`c${(k % 8) + 1}`);
      ctx.beginPath();
      let pen = false;
      column.forEach((value, i) => {
        const y = value === null ? null : this.log ? Math.max(Math.abs(value), FLOOR) : value;
        if (y !== null) {
          const at: [number, number] = [u.valToPos(ghost.t[i]!, "x", true), u.valToPos(y, "y", true)];
          if (pen) ctx.lineTo(...at);
          else ctx.moveTo(...at);
        }
        pen = y !== null;
      });
      ctx.stroke();
    });
    ctx.restore();
  }

  // The values at the cursor, beside the names.
  private read(u: uPlot): void {
    const i = u.cursor.idx;
    this.readouts.forEach((output, k) => {
      const x = i === null || i === undefined ? null : this.data.columns[k]?.[i];
      const error = i === null || i === undefined ? null : this.data.errors?.[k]?.[i];
      output.textContent =
        x === null || x === undefined
          ? ""
          : error
            ? `${known(x, error)} ± ${shown(Number(error.toPrecision(1)))}`
            : shown(x);
    });
  }

  // How far each value may be off, behind its curve.
  private drawBands(u: uPlot): void {
    const { ctx, bbox } = u;
    if (this.log || !this.data.errors) return;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.globalAlpha = 0.3;
    this.data.errors.forEach((errors, k) => {
      ctx.fillStyle = colour(`c${(k % 8) + 1}`);
      const values = this.data.columns[k] ?? [];
      const isKnown = (i: number) => values[i] != null && errors[i] != null;
      const at = (i: number, sign: number) =>
        ctx.lineTo(u.valToPos(this.data.t[i]!, "x", true), u.valToPos(values[i]! + sign * errors[i]!, "y", true));
      for (let from = 0; from < errors.length; ++from) {
        if (!isKnown(from)) continue;
        let to = from;
        while (to + 1 < errors.length && isKnown(to + 1)) ++to;
        ctx.beginPath();
        for (let i = from; i <= to; ++i) at(i, 1);
        for (let i = to; i >= from; --i) at(i, -1);
        ctx.fill();
        from = to;
      }
    });
    ctx.restore();
  }

  // The moment that is shown, and what happened, named where there is room.
  private drawMarks(u: uPlot): void {
    const { ctx, bbox } = u;
    const ratio = devicePixelRatio;
    const line = (t: number, ink: string, dash: number[]): number | null => {
      const x = u.valToPos(t, "x", true);
      if (x < bbox.left || x > bbox.left + bbox.width) return null;
      ctx.strokeStyle = ink;
      ctx.setLineDash(dash);
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      return x;
    };
    ctx.save();
    ctx.lineWidth = ratio;
    ctx.font = `${10 * ratio}px system-ui, sans-serif`;
    ctx.fillStyle = colour("faint");
    ctx.textAlign = "left";
    ctx.textBaseline = "alphabetic";
    let free = bbox.left;
    for (const { t, text } of this.source.marks?.(this.names) ?? []) {
      const x = line(t, colour("faint"), [3 * ratio, 3 * ratio]);
      if (x === null) continue;
      const width = ctx.measureText(text).width + 3 * ratio;
      const start = x + width < bbox.left + bbox.width ? x + 3 * ratio : x - width;
      if (start < free) continue;
      ctx.fillText(text, start, bbox.top + 9 * ratio);
      free = start + width + 3 * ratio;
    }
    if (this.now !== null) line(this.now, colour("accent"), []);
    ctx.restore();
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.holder;
    if (clientWidth > 0 && clientHeight > 0) this.chart?.setSize({ width: clientWidth, height: clientHeight });
  }

  private async saveCsv(): Promise<void> {
    const data = (await this.source.rows?.(this.names, this.zoomed)) ?? this.data;
    const units = this.units();
    const header = [
      this.source.axis ?? "t [s]",
      ...this.names.map((n) => `${n}${units.get(n) ? ` [${units.get(n)}]` : ""}`),
    ];
    const quoted = header.map((x) => (/[",\n]/.test(x) ? `"${x.replaceAll('"', '""')}"` : x));
    const rows = data.t.map((t, i) => [t, ...data.columns.map((c) => c[i] ?? "")].join(","));
    download(`${this.fileName()}.csv`, textBlob(`${[quoted.join(","), ...rows].join("\n")}\n`, "text/csv"));
  }

  // The curves with their names below, on the page's background.
  private savePng(): void {
    const chart = this.chart;
    if (!chart) return;
    const source = chart.ctx.canvas;
    const ratio = source.width / Math.max(chart.width, 1);
    const canvas = h("canvas", { width: source.width, height: source.height + 24 * ratio });
    const ctx = canvas.getContext("2d") as CanvasRenderingContext2D;
    ctx.fillStyle = colour("panel");
    ctx.fillRect(0, 0, canvas.width, canvas.height);
    ctx.drawImage(source, 0, 0);
    ctx.font = `${12 * ratio}px system-ui, sans-serif`;
    let x = 12 * ratio;
    this.names.forEach((name, i) => {
      ctx.fillStyle = colour(`c${(i % 8) + 1}`);
      ctx.fillText(name, x, source.height + 14 * ratio);
      x += ctx.measureText(name).width + 18 * ratio;
    });
    canvas.toBlob((blob) => blob && download(`${this.fileName()}.png`, blob), "image/png");
  }

  private fileName(): string {
    return (this.names[0] ?? "plot").replace(/[^\w.-]+/g, "_");
  }
}

// What all names begin with, up to a dot, is said once: "energy." of energy.kinetic and energy.potential.
function commonStem(names: string[]): string {
  const first = names[0] ?? "";
  for (let end = first.lastIndexOf("."); names.length > 1 && end > 0; end = first.lastIndexOf(".", end - 1)) {
    const stem = first.slice(0, end + 1);
    if (names.every((name) => name.startsWith(stem))) return stem;
  }
  return "";
}

// Powers of ten, as many as there is room for.
function decades(u: uPlot, _axis: number, low: number, high: number): number[] {
  const first = Math.ceil(Math.log10(low) - 1e-9);
  const last = Math.floor(Math.log10(high) + 1e-9);
  const every = Math.max(1, Math.ceil((last - first + 1) / Math.max(2, u.bbox.height / devicePixelRatio / 24)));
  const splits: number[] = [];
  for (let power = first; power <= last; power += every) splits.push(10 ** power);
  return splits;
}

function tick(x: number): string {
  const size = Math.abs(x);
  if (x !== 0 && (size >= 1e5 || size < 1e-3)) return x.toExponential(0).replace("e+", "e");
  return String(Number(x.toPrecision(6)));
}

// Many plots in one panel.
export class PlotPanel {
  readonly plots: Plot[] = [];
  constructor(
    private readonly holder: HTMLElement,
    private readonly source: PlotSource,
    private readonly changed: () => void = () => {},
  ) {}

  add(names: string[], log = false): Plot {
    const plot = new Plot(this.source, names, log, this.changed, (p) => this.remove(p));
    this.plots.push(plot);
    this.holder.append(plot.element);
    plot.rebuild();
    this.changed();
    return plot;
  }

  remove(plot: Plot): void {
    this.plots.splice(this.plots.indexOf(plot), 1);
    plot.destroy();
    this.changed();
  }

  names(): string[] {
    return [...new Set(this.plots.flatMap((p) => p.names))];
  }

  refresh(): void {
    for (const plot of this.plots) plot.refresh();
  }

  rebuild(): void {
    for (const plot of this.plots) plot.rebuild();
  }

  mark(t: number | null): void {
    for (const plot of this.plots) plot.mark(t);
  }
}
