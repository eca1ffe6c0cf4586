// What the engine says: short notes over the picture, and all of it in the log.
import { byId, h, shown } from "../common/dom";
import type { Level } from "./protocol";

const STAY: Record<Level, number> = { info: 3500, warning: 6500, error: 9000 }; // ms
const MOST = 4; // notes at once
const KEPT = 500; // lines of the log

let lastText = "";
let lastNote: HTMLElement | null = null;
let repeats = 1;

export function say(level: Level, text: string, t?: number): void {
  log(level, text, t);
  const toasts = byId("toasts");
  if (text === lastText && lastNote?.isConnected) {
    lastNote.dataset["times"] = `× ${++repeats}`;
    return;
  }
  const note = h(
    `div.toast.${level}`,
    { role: level === "error" ? "alert" : "status", onclick: () => note.remove() },
    text,
  );
  toasts.append(note);
  while (toasts.children.length > MOST) toasts.firstElementChild?.remove();
  setTimeout(() => note.remove(), STAY[level]);
  [lastText, lastNote, repeats] = [text, note, 1];
}

export function log(level: Level | "edit", text: string, t?: number): void {
  const list = byId("log");
  const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 30;
  const last = list.lastElementChild as HTMLElement | null;
  if (last?.className === level && last.children[1]?.textContent === text) {
    last.dataset["times"] = `× ${Number(last.dataset["times"]?.slice(2) ?? 1) + 1}`;
    return;
  }
  list.append(h(`li.${level}`, {}, h("time", {}, t === undefined ? "" : `${shown(t)} s`), h("span", {}, text)));
  while (list.children.length > KEPT) list.firstElementChild?.remove();
  if (atEnd) list.scrollTop = list.scrollHeight;
}

// "remove-joint hinge": an edit in a few words.
export function editText(edit: Record<string, unknown>): string {
  const inner = (edit["joint"] ?? edit["body"] ?? edit["force"] ?? edit["driver"]) as
    { name?: string } | string | undefined;
  const name = edit["name"] ?? edit["path"] ?? (typeof inner === "object" ? inner?.name : inner) ?? "";
  const value = edit["value"] === undefined ? "" : ` = ${JSON.stringify(edit["value"])}`;
  const plan = ["formulation", "integrator", "coordinates", "kind"]
    .map((k) => edit[k])
    .filter(Boolean)
    .join(", ");
  const what = edit["do"] === "set-plan" ? "method" : edit["do"];
  return `${String(what ?? "edit").replaceAll("-", " ")} ${String(name)}${value}${plan ? ` ${plan}` : ""}`.trim();
}
