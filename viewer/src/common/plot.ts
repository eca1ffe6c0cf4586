// One plot: several signals over time, zoomed by dragging, read at the cursor, exported as CSV or PNG.
import uPlot from "uplot";
import { download, h, shown, textBlob } from "./dom";
import { icon } from "./icons";
import { openPicker } from "./picker";
import { colour } from "./theme";

export interface Signal {
  name: string;
  unit: string;
}

export interface PlotData {
  t: number[];
  columns: (number | null)[][];
}

// Where plots take their data from.
export interface PlotSource {
  signals(): Signal[];
  data(names: string[]): PlotData;
}

const FLOOR = 1e-17; // below which a logarithmic axis shows nothing: a double's last digit of a tenth

export class Plot {
  readonly element: HTMLElement;
  private readonly holder = h("div.plot-canvas");
  private readonly title = h("div.plot-title");
  private chart: uPlot | null = null;
  private data: PlotData = { t: [], columns: [] };
  private now: number | null = null;
  private zoomed = false;

  constructor(
    private readonly source: PlotSource,
    public names: string[],
    private log: boolean,
    private readonly changed: () => void,
    private readonly close: (plot: Plot) => void,
  ) {
    const button = (name: string, title: string, onclick: (event: MouseEvent) => void) =>
      h("button.flat", { title, "aria-label": title, onclick }, icon(name));
    this.element = h(
      "section.plot",
      {},
      h(
        "header",
        {},
        this.title,
        h("button.flat.scale", { title: "Logarithmic axis", onclick: () => this.toggleLog() }, "log"),
        button("plus", "Choose signals", (event) => this.choose(event.currentTarget as HTMLElement)),
        button("table", "Save as CSV", () => this.saveCsv()),
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
    this.data = this.source.data(this.names);
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
    this.data = this.source.data(this.names);
    this.zoomed = false;
    this.describe();
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

  private toggleLog(): void {
    this.log = !this.log;
    this.rebuild();
  }

  private describe(): void {
    this.element.querySelector(".scale")?.classList.toggle("on", this.log);
    this.title.textContent = this.names.length ? this.names.join(", ") : "No signal chosen";
    this.title.title = this.title.textContent;
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
      height: Math.max(this.holder.clientHeight, 120) - 26,
      scales: { x: { time: false }, y: { distr: this.log ? 3 : 1 } },
      axes: [
        { ...axis, size: 24, gap: 3 },
        { ...axis, size: 54, gap: 3, label: unit, labelSize: 14, labelGap: 0, labelFont: "11px system-ui, sans-serif", values: (_u, v) => v.map((x) => (x === null ? "" : tick(x))) },
      ],
      cursor: { drag: { x: true, y: false }, points: { size: 6 } },
      series: [
        { label: "t", value: (_u, x) => (x === null ? "" : `${shown(x)} s`) },
        ...this.names.map((name, i) => ({
          label: name,
          stroke: colour(`c${(i % 8) + 1}`),
          width: 1.6,
          points: { show: false },
          spanGaps: false,
          value: (_u: uPlot, x: number | null) => (x === null ? "–" : shown(x)),
        })),
      ],
      hooks: {
        setSelect: [(u) => (this.zoomed = u.select.width > 0)],
        ready: [(u) => u.over.addEventListener("dblclick", () => (this.zoomed = false))],
        draw: [(u) => this.drawMoment(u)],
      },
    };
  }

  private drawMoment(u: uPlot): void {
    if (this.now === null) return;
    const x = u.valToPos(this.now, "x", true);
    if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) return;
    u.ctx.save();
    u.ctx.strokeStyle = colour("accent");
    u.ctx.lineWidth = devicePixelRatio;
    u.ctx.beginPath();
    u.ctx.moveTo(x, u.bbox.top);
    u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
    u.ctx.stroke();
    u.ctx.restore();
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.holder;
    if (clientWidth > 0 && clientHeight > 0) this.chart?.setSize({ width: clientWidth, height: clientHeight - 26 });
  }

  private saveCsv(): void {
    const units = this.units();
    const header = ["t [s]", ...this.names.map((n) => `${n}${units.get(n) ? ` [${units.get(n)}]` : ""}`)];
    const quoted = header.map((x) => (/[",\n]/.test(x) ? `"${x.replaceAll('"', '""')}"` : x));
    const rows = this.data.t.map((t, i) => [t, ...this.data.columns.map((c) => c[i] ?? "")].join(","));
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
