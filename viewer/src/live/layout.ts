// The elements of the page: bar, tree and numbers at the side, picture, plots and log.
import { byId, h } from "../common/dom";
import { icon } from "../common/icons";

export const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];

const tool = (name: string, title: string, id: string) =>
  h("button.flat", { id, title, "aria-label": title.replace(/ \(.*/, "") }, icon(name));

export function makeLayout() {
  const canvas = h("canvas", { tabindex: 0, "aria-label": "The mechanism: drag a body to pull it" });
  const labels = h("div.labels");
  const overlay = h("div.overlay");
  const toasts = h("div", { id: "toasts", "aria-live": "polite" });
  const clock = h("output.clock", { id: "clock" }, "0.000 s");
  const energy = h("output", { id: "energy" });
  const balance = h("output", { id: "balance" });
  const violation = h("output", { id: "violation" });
  const method = h("span", { id: "method" });
  const gridBar = h("i", {});
  const gridText = h("span", {});
  const grid = h("span", { id: "grid", title: "Scale: the distance of the ground's lines" }, gridBar, gridText);
  // A bar as long as that distance.
  const scale = (length: number, pixels: number) => {
    gridBar.style.width = `${pixels.toFixed(1)}px`;
    gridText.textContent = `${length} m`;
  };
  const clients = h("span.faint");
  const slow = h("span.slow", { hidden: true });
  const lost = h("div.lost");
  const legendBox = h("div.legend");
  const release = h("button.release", { id: "release", hidden: true }, "Let go (Esc)");
  const empty = h(
    "p.empty",
    { hidden: true },
    "This model is in coordinates of its own: it has nothing to draw. Its curves are below.",
  );
  const play = h(
    "button.primary.round",
    { id: "play", title: "Run or pause (Space)", "aria-label": "Pause" },
    icon("pause"),
  );
  const speed = h(
    "select",
    { id: "speed", title: "Speed ([ and ])", "aria-label": "Speed" },
    ...SPEEDS.map((s) => h("option", { value: s, selected: s === 1 }, `${s} ×`)),
  );
  const undo = tool("undo", "Undo (Ctrl Z)", "undo");
  const redo = tool("redo", "Redo (Ctrl Y)", "redo");
  const modelName = h("span.name", {}, "Trammel");
  const window = h(
    "select",
    { id: "window", title: "Seconds shown", "aria-label": "Seconds shown" },
    ...[1, 5, 10, 20, 60].map((s) => h("option", { value: s, selected: s === 10 }, `${s} s`)),
    h("option", { value: 0 }, "all"),
  );

  const bar = h(
    "header.bar",
    {},
    h("button.flat.brand", { id: "models", title: "Another model" }, logo(), modelName, h("small", {}, "▾")),
    h(
      "div.transport",
      {},
      tool("reset", "Back to the start (R)", "reset"),
      play,
      tool("step", "One step (.)", "step"),
      speed,
      clock,
    ),
    h(
      "div.tools",
      {},
      undo,
      redo,
      h("span.gap"),
      tool("text", "The model's text (Y)", "text"),
      tool("plot", "Study: parameters, methods, spectra (V)", "study"),
      tool("connect", "Connect two points (J)", "connect"),
      tool("body", "New body", "new-body"),
      h("span.gap"),
      tool("save", "Save the model", "save"),
      tool("log", "Save the journal", "save-journal"),
      tool("image", "Save the picture, 3840 pixels wide", "save-picture"),
      tool("video", "Record a video", "save-video"),
      h("span.gap"),
      tool("theme", "Light or dark", "theme"),
      tool("help", "Help (?)", "help"),
    ),
  );
  const showAll = tool("all", "Show all bodies (0)", "show-all");
  showAll.hidden = true;
  const views = h(
    "div.views",
    {},
    tool("fit", "Show everything (F)", "fit"),
    tool("arrow", "Reaction forces (A)", "arrows"),
    tool("trace", "Traces (T)", "traces"),
    tool("names", "Names (N)", "names"),
    showAll,
  );
  const figures = h(
    "div.figures",
    {},
    h("span", { title: "Kinetic and potential energy" }, h("small", {}, "energy "), energy),
    h(
      "span",
      { title: "Energy less the work done by drivers, dampers and forces without a potential: constant" },
      h("small", {}, "balance "),
      balance,
    ),
    h("span", {}, h("small", {}, "violation "), violation),
    method,
    grid,
    clients,
    slow,
  );
  const stage = h(
    "section.stage",
    { id: "stage" },
    canvas,
    labels,
    toasts,
    views,
    legendBox,
    figures,
    release,
    overlay,
    empty,
    lost,
  );
  const tree = h("div.tree", { id: "tree" });
  const inspector = h("div.inspector", { id: "inspector" });
  const plots = h("div.plot-list", { id: "plots" });
  const log = h("ol", { id: "log" });
  const plotPanel = h(
    "section.panel.plots",
    { id: "panel-plots" },
    h(
      "header",
      {},
      h("h2", {}, "Curves"),
      window,
      h("button.flat", { id: "add-plot", title: "Another plot (P)", "aria-label": "Another plot" }, icon("plus")),
    ),
    plots,
  );
  const time = h("div.time");
  const tabs = h("nav.tabs", {}); // of a phone
  const root = h(
    "div.layout",
    {},
    bar,
    h("aside.panel.model", { id: "panel-model" }, tree, inspector),
    stage,
    time,
    plotPanel,
    h("section.panel.log", { id: "panel-log" }, h("header", {}, h("h2", {}, "Log")), log),
    tabs,
  );
  byId("app").replaceChildren(root);
  return {
    root,
    canvas,
    labels,
    overlay,
    clock,
    energy,
    balance,
    violation,
    method,
    scale,
    clients,
    slow,
    lost,
    legendBox,
    figures,
    release,
    empty,
    play,
    speed,
    undo,
    redo,
    modelName,
    window,
    stage,
    time,
    tabs,
    tree,
    inspector,
    plots,
  };
}

export type Layout = ReturnType<typeof makeLayout>;

// An ellipse and the bar that draws it.
function logo(): SVGSVGElement {
  const svg = icon("menu");
  svg.innerHTML =
    '<ellipse cx="10" cy="10" rx="8" ry="5"/><path d="M3.500 15.500L16.500 4.500"/><circle cx="10" cy="10" r="1.500" fill="currentColor"/>';
  svg.setAttribute("class", "icon logo");
  return svg;
}
