// The live page: buttons and keys.
import "uplot/dist/uPlot.min.css";
import "../common/base.css";
import "./live.css";
import { byId } from "../common/dom";
import { initTheme, toggleTheme } from "../common/theme";
import { App } from "./app";
import "./draw/draw.css";
import "./study/study.css";
import "./phone.css";
import { newBody, saveModel } from "./dialogs";
import { openHelp } from "./help";
import { makeLayout, SPEEDS } from "./layout";
import { saveJournal, savePicture } from "./saving";
import { recordVideo } from "./video";

initTheme();
const layout = makeLayout();
// The token came with the address; from here on a cookie shows it, and nobody reads it over a shoulder.
if (location.search) history.replaceState(null, "", location.pathname);
const app = new App(layout);

const playPause = () => void app.perform({ do: app.status?.paused ? "resume" : "pause" });
const setSpeed = (value: number) => void app.perform({ do: "speed", value });
const addPlot = () => app.plots.add([]).choose(byId("add-plot"));
const faster = (way: number) => {
  const now = SPEEDS.findIndex((s) => s >= (app.status?.speed ?? 1));
  setSpeed(SPEEDS[Math.min(Math.max(now + way, 0), SPEEDS.length - 1)]!);
};

const seen = (how: "glass" | "hidden" | "alone") => {
  if (app.selected?.kind === "body") app.toggleSeen(app.selected, how);
};

const actions: Record<string, () => void> = {
  models: () => void app.gallery.open(),
  text: () => app.text.toggle(),
  study: () => app.study.toggle(),
  play: playPause,
  step: () => void app.perform({ do: "step" }),
  reset: () => void app.perform({ do: "reset" }),
  undo: () => void app.perform({ do: "undo" }),
  redo: () => void app.perform({ do: "redo" }),
  connect: () => (app.connecting ? app.stopConnecting() : app.startConnecting()),
  "new-body": () => newBody(app),
  save: () => saveModel(app),
  "save-journal": () => void saveJournal(app),
  "save-picture": () => void savePicture(app),
  "save-video": () => recordVideo(app),
  "show-all": () => app.showAll(),
  theme: toggleTheme,
  help: openHelp,
  fit: () => app.stage.fit(),
  arrows: () => app.toggleArrows(),
  traces: () => app.toggleTraces(),
  names: () => app.toggleNames(),
  release: () => app.escape(),
  "add-plot": addPlot,
};
for (const [id, act] of Object.entries(actions)) byId(id).addEventListener("click", act);
layout.speed.addEventListener("change", () => setSpeed(Number(layout.speed.value)));
layout.window.addEventListener("change", () => {
  app.showWindow(Number(layout.window.value));
});

const keys: Record<string, () => void> = {
  " ": playPause,
  ".": () => (app.time.behind ? void app.time.stepBy(1) : actions["step"]!()),
  ",": () => void app.time.stepBy(-1),
  r: actions["reset"]!,
  "[": () => faster(-1),
  "]": () => faster(1),
  j: actions["connect"]!,
  delete: () => app.selected && app.remove(app.selected),
  backspace: () => app.selected && app.remove(app.selected),
  f: actions["fit"]!,
  x: () => seen("glass"),
  h: () => seen("hidden"),
  q: () => seen("alone"),
  "0": () => app.showAll(),
  "1": () => app.stage.look("front"),
  "2": () => app.stage.look("top"),
  "3": () => app.stage.look("side"),
  "4": () => app.stage.look("iso"),
  a: actions["arrows"]!,
  t: actions["traces"]!,
  n: actions["names"]!,
  p: addPlot,
  y: actions["text"]!,
  v: actions["study"]!,
  escape: () => app.escape(),
  "?": openHelp,
};

addEventListener("keydown", (event) => {
  const { target } = event;
  const typing =
    target instanceof HTMLInputElement || target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement;
  if (typing || document.querySelector("dialog:modal")) return;
  const key = event.key.toLowerCase();
  // A button that has the focus is pressed by these.
  const pressed = target instanceof HTMLElement && target.closest("button, summary, [role=treeitem]") !== null;
  if (pressed && (key === " " || key === "enter")) return;
  const act =
    event.ctrlKey || event.metaKey
      ? { z: event.shiftKey ? actions["redo"] : actions["undo"], y: actions["redo"] }[key]
      : event.altKey
        ? undefined
        : keys[key];
  if (!act) return;
  event.preventDefault();
  act();
});

// A button that the pointer has pressed gives the keys back to the page: the space bar runs and pauses. One that
// the keyboard has pressed keeps them.
addEventListener("click", (event) => {
  const { target } = event;
  const button = target instanceof Element ? target.closest("button, summary") : null;
  if (event.detail > 0 && button instanceof HTMLElement && button === document.activeElement) button.blur();
});

// For tests, and for a person at the console.
Object.assign(globalThis, { trammel: app });
