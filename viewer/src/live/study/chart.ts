// A small chart: curves over a common abscissa, on one axis or two.
import { shown } from "../../common/dom";

const SVG = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT] = [340, 210];
const [LEFT, RIGHT, TOP, BOTTOM] = [54, 12, 22, 30];

export interface Series {
  name: string;
  x: number[];
  y: number[];
  colour: string;
  faint?: boolean;
  second?: boolean; // on the axis at the right
}

interface Axis {
  low: number;
  high: number;
}

export function chart(series: Series[], xLabel: string, yLabel: string): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
  svg.setAttribute("class", "chart");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `${yLabel} over ${xLabel}: ${series.map((s) => s.name).join(", ")}`);
  const second = series.some((s) => s.second);
  const right = WIDTH - (second ? LEFT : RIGHT);
  const xAxis = range(series.flatMap((s) => s.x));
  const yAxes = [false, true].map((is) => range(series.filter((s) => Boolean(s.second) === is).flatMap((s) => s.y)));
  const px = (v: number) => LEFT + ((v - xAxis.low) / (xAxis.high - xAxis.low)) * (right - LEFT);
  const py = (v: number, axis: Axis) =>
    HEIGHT - BOTTOM - ((v - axis.low) / (axis.high - axis.low)) * (HEIGHT - TOP - BOTTOM);
  add(svg, "path", { d: `M${LEFT} ${TOP}V${HEIGHT - BOTTOM}H${right}${second ? `V${TOP}` : ""}`, class: "chart-axis" });
  label(svg, LEFT, HEIGHT - BOTTOM + 13, shown(xAxis.low), "start");
  label(svg, right, HEIGHT - BOTTOM + 13, shown(xAxis.high), "end");
  label(svg, (LEFT + right) / 2, HEIGHT - 4, xLabel, "middle");
  label(svg, LEFT, TOP - 9, yLabel, "start");
  yAxes.slice(0, second ? 2 : 1).forEach((axis, k) => {
    const [x, anchor] = k ? [right + 4, "start"] : [LEFT - 4, "end"];
    label(svg, x, TOP + 8, shown(axis.high), anchor);
    label(svg, x, HEIGHT - BOTTOM, shown(axis.low), anchor);
  });
  for (const s of series) {
    const axis = yAxes[s.second ? 1 : 0]!;
    const d = s.x.map((x, i) => point(px(x), py(s.y[i]!, axis))).join("");
    const line = add(svg, "path", { d: d.replace(/^L/, "M"), stroke: s.colour });
    line.setAttribute("class", `chart-line${s.faint ? " faint" : ""}`);
    line.append(Object.assign(document.createElementNS(SVG, "title"), { textContent: s.name }));
  }
  return svg;
}

const point = (x: number, y: number) =>
  Number.isFinite(x) && Number.isFinite(y) ? `L${x.toFixed(1)} ${y.toFixed(1)}` : "";

function range(values: number[]): Axis {
  const finite = values.filter(Number.isFinite);
  if (finite.length === 0) return { low: 0, high: 1 };
  const low = finite.reduce((a, b) => Math.min(a, b));
  const high = finite.reduce((a, b) => Math.max(a, b));
  return high > low ? { low, high } : { low: low - 0.5, high: high + 0.5 };
}

function add(svg: SVGSVGElement, name: string, attributes: Record<string, string | number>): SVGElement {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  svg.append(element);
  return element;
}

function label(svg: SVGSVGElement, x: number, y: number, text: string, anchor: string): void {
  add(svg, "text", { x, y, "text-anchor": anchor, class: "chart-text" }).textContent = text;
}
