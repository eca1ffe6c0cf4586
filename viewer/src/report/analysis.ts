// The head and the sections of an analysis' page (src/results/report/analysis_page.cpp): figures, plots, tables.
import { h } from "../common/dom";
import { icon } from "../common/icons";
import type { ModeShapes } from "./modes";

export interface AnalysisData {
  name: string; // "kinematics"
  title: string;
  figures: { label: string; value: string; note: string }[];
  plots: string; // HTML of the program, before the motion
  details: string; // after it
  style: string; // CSS of its plots
  rows: string; // what a row is, where it is no time: "branch"
  goes_back: boolean; // drivers turn back in a dead position: time is counted on
  swept: string; // the coordinate that the motion goes over instead of the time; else empty
  unit: string; // of it, or "s"
  modes: ModeShapes | null;
}

export function analysisHead(analysis: AnalysisData): HTMLElement {
  return h(
    "header.overview",
    {},
    h(
      "div.title",
      {},
      h("h1", {}, analysis.title),
      h("span.spring", {}),
      h("button.flat", { id: "theme", title: "Light or dark", "aria-label": "Light or dark" }, icon("theme")),
    ),
    h(
      "dl.figures",
      {},
      ...analysis.figures.map((f) =>
        h("div", {}, h("dt", {}, f.label), h("dd", {}, f.value), f.note ? h("dd.note", {}, f.note) : null),
      ),
    ),
  );
}

/** HTML that the program made, with the colours of the page. */
export function section(html: string): HTMLElement {
  const out = h("section.analysis");
  out.innerHTML = html;
  return out;
}

export function addStyle(css: string): void {
  // The page has its own light and dark: colours of plots follow it.
  const style = h("style");
  style.textContent = css
    .replace(/@media[^{]*\{\s*:root\s*\{([^}]*)\}\s*\}/, ':root[data-theme="dark"] .analysis {$1}')
    .replace(":root {", ".analysis {");
  document.head.append(style);
}
