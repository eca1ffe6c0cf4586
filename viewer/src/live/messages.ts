// What the engine says: short notes over the picture, and all of it in the log.
import { byId, h, shown } from "../common/dom";
import type { Level, Reply } from "./protocol";

const STAY: Record<Level, number> = { info: 3500, warning: 6500, error: 9000 }; // ms
const MOST = 2; // notes at once: more would cover the mechanism
const KEPT = 500; // lines of the log

// Messages that differ in numbers only are one note, which says the newest.
const kindOf = (level: Level, text: string) => `${level} ${text.replace(/-?\d[\d.e+-]*/g, "#")}`;

export function say(level: Level, text: string, t?: number): void {
  log(level, text, t);
  const toasts = byId("toasts");
  const kind = kindOf(level, text);
  const same = [...toasts.children].find((note) => (note as HTMLElement).dataset["kind"] === kind) as
    HTMLElement | undefined;
  if (same) {
    same.firstChild!.textContent = text;
    same.dataset["times"] = `× ${Number(same.dataset["times"]?.slice(2) ?? 1) + 1}`;
    return;
  }
  const close = h("button.flat.small", { "aria-label": "Close this message", onclick: () => note.remove() }, "×");
  const note = h(
    `div.toast.${level}`,
    { role: level === "error" ? "alert" : "status", "data-kind": kind },
    h("span", {}, text),
    close,
  );
  toasts.append(note);
  while (toasts.children.length > MOST) toasts.firstElementChild?.remove();
  setTimeout(() => note.remove(), STAY[level]);
}

// Of the log, for a page that comes back.
export const lines: { level: string; text: string; t: number | null }[] = [];

export function log(level: Level | "edit", text: string, t?: number): void {
  lines.push({ level, text, t: t ?? null });
  if (lines.length > KEPT) lines.shift();
  write(level, text, t);
}

export function restoreLog(kept: typeof lines): void {
  byId("log").replaceChildren();
  lines.splice(0, lines.length, ...kept);
  for (const { level, text, t } of kept) write(level, text, t ?? undefined);
}

function write(level: string, text: string, t?: number): void {
  const list = byId("log");
  const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 30;
  const last = list.lastElementChild as HTMLElement | null;
  if (last?.className === level && last.children[1]?.textContent === text) {
    last.dataset["times"] = `× ${Number(last.dataset["times"]?.slice(2) ?? 1) + 1}`;
    return;
  }
  list.append(h(`li.${level}` as "li", {}, h("time", {}, t === undefined ? "" : `${shown(t)} s`), h("span", {}, text)));
  while (list.children.length > KEPT) list.firstElementChild?.remove();
  if (atEnd) list.scrollTop = list.scrollHeight;
}

const DONE: Record<string, string> = { add: "added", remove: "deleted", retype: "changed" };

// An edit in a person's words: "joint hinge deleted", "step 0.5 s", "pull on arm released".
export function editText(edit: Record<string, unknown>): string {
  const what = String(edit["do"] ?? "edit");
  const text = (key: string) => (edit[key] === undefined ? "" : String(edit[key]));
  const value = Array.isArray(edit["value"]) ? `(${edit["value"].join(", ")})` : text("value");
  const [verb, kind] = what.split("-") as [string, string | undefined];
  if (kind && DONE[verb]) {
    const part = edit[kind] as { name?: string; kind?: string } | undefined;
    const name = text("name") || part?.name || "";
    const to = verb === "retype" ? ` to ${text("kind")}` : verb === "add" && !name ? ` (${part?.kind ?? ""})` : "";
    return `${kind} ${name} ${DONE[verb]}${to}`.replace("  ", " ");
  }
  switch (what) {
    case "set-value":
      return `${text("path").replaceAll(".", " ")}${value && ` = ${value}`}`;
    case "set-parameter":
    case "set-input":
      return `${kind} ${text("name")}${value && ` = ${value}`}`;
    case "set-gravity":
      return `gravity ${value} m/s²`;
    case "set-step":
      return `step ${value} s`;
    case "set-plan":
      return `method: ${["formulation", "integrator", "coordinates", "step", "tolerance"].map(text).filter(Boolean).join(", ")}`;
    case "pull":
      return `${text("body")} pulled`;
    case "release":
      return edit["name"] ? `pull '${text("name")}' released` : "pulls released";
    case "reset":
      return "back to the start";
    case "change-text":
      return edit["name"] ? `${text("name")} drawn` : "text changed";
    case "set-text":
      return "text edited";
    case "drag":
    case "end-drag":
      return "dragged";
    case "copy-bodies":
      return `${Array.isArray(edit["bodies"]) ? edit["bodies"].join(", ") : "bodies"} copied`;
    case "undo":
    case "redo":
      return what === "undo" ? "undone" : "done again";
    default:
      return what.replaceAll("-", " ");
  }
}

// The same of the program's label, "remove-joint hinge".
export function labelText(label: string): string {
  const [what, ...rest] = label.split(" ") as [string, ...string[]];
  return editText({ do: what, name: rest.join(" "), path: rest.join(" ") });
}

// What closing the joints took, and what was lost with an edit; nothing below round-off.
export function effects(reply: Reply): string[] {
  const above = (x: number | undefined) => Math.abs(x ?? 0) > 1e-9;
  const parts: string[] = [];
  if (above(reply.moved)) parts.push(`moved ${reply.moved!.toPrecision(2)} m`);
  if (above(reply.impulse)) parts.push(`impulse ${reply.impulse!.toPrecision(3)} N·s`);
  if (parts.length && above(reply.energy))
    parts.push(`energy ${reply.energy! > 0 ? "+" : ""}${reply.energy!.toPrecision(3)} J`);
  return [...parts, ...(reply.notes ?? [])];
}
