// The help card: what the mouse and the keys do.
import { h } from "../common/dom";
import { TOOLS } from "./draw/tools";

const MOUSE: [string, string][] = [
  ["drag a body", "pull it, as by a spring"],
  ["Shift + drag a body", "hold it firmly; it stays held"],
  ["click", "select a part; again on nothing: the model"],
  ["drag beside it", "move the view (in space: turn it)"],
  ["right drag", "turn the view (in space: move it)"],
  ["wheel, pinch", "zoom"],
];

const KEYS: [string, string][] = [
  ["Space", "run or pause"],
  [".", "one step"],
  [",", "one step back"],
  ["R", "back to the start"],
  ["[ and ]", "slower, faster"],
  ["J", "connect two points: joint or spring"],
  ["Del", "delete what is selected"],
  ["Ctrl Z, Ctrl Y", "undo, redo"],
  ["F", "show everything"],
  ["1 2 3 4", "front, top, side, oblique view"],
  ["X H Q", "body selected: see through it, hide it, see it alone"],
  ["0", "show all bodies"],
  ["A", "reaction forces"],
  ["T", "traces"],
  ["N", "names"],
  ["P", "another plot"],
  ["Y", "the model's text"],
  ["V", "studies: parameters, methods, spectra, analyses"],
  ["Esc", "let go, cancel, select nothing"],
  ["?", "this card"],
];

const DRAWING = TOOLS.map(({ key, label }): [string, string] => [key.toUpperCase(), label.toLowerCase()]);

export function openHelp(): void {
  const table = (rows: [string, string][]) =>
    h(
      "table",
      {},
      ...rows.map(([key, text]) => h("tr", {}, h("th", {}, ...key.split(" ").map(word)), h("td", {}, text))),
    );
  const close = h("button.primary", { onclick: () => dialog.close() }, "Close");
  const dialog: HTMLDialogElement = h(
    "dialog.help",
    { "aria-label": "Help" },
    h("h2", {}, "Take hold of the mechanism"),
    h(
      "div.columns",
      {},
      h("section", {}, h("h3", {}, "Mouse and touch"), table(MOUSE), h("h3", {}, "Drawing tools"), table(DRAWING)),
      h("section", {}, h("h3", {}, "Keys"), table(KEYS)),
    ),
    close,
  );
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
  // The button is at the end: on a phone the card would open there.
  close.focus({ preventScroll: true });
  dialog.scrollTop = 0;
}

function word(text: string): HTMLElement {
  const plain = ["and", "a", "drag", "click", "beside", "it", "body", "+", "right", "wheel,", "pinch"];
  return plain.includes(text) ? h("span", {}, `${text} `) : h("kbd", {}, text === "," ? text : text.replace(",", ""));
}
