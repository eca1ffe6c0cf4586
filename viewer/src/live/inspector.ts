// What is selected: its numbers, edited in place, its readings, and what can be done with it.
import { h, shown, unitText } from "../common/dom";
import { icon } from "../common/icons";
import type { Marker, Part } from "../common/scene";
import type { App } from "./app";
import { newDriver, newForce } from "./dialogs";
import type { Model, NumberEntry } from "./protocol";

const READINGS = 24; // of one part at once

const SECTION: Record<Part["kind"], string> = { body: "bodies", joint: "joints", force: "forces", driver: "drivers" };

export class Inspector {
  private readings: { name: string; output: HTMLElement }[] = [];

  constructor(
    private readonly holder: HTMLElement,
    private readonly app: App,
  ) {}

  // Signals of the selected part: the page subscribes to them.
  signals(): string[] {
    return this.readings.map((r) => r.name);
  }

  show(model: Model, part: Part | null): void {
    if (this.editing()) return;
    this.readings = [];
    this.holder.replaceChildren(...(part ? this.part(model, part) : this.model(model)));
  }

  // New values of what is shown; not while a person types.
  refresh(): void {
    for (const { name, output } of this.readings) output.textContent = shown(this.app.history.latest(name));
  }

  private editing(): boolean {
    const active = document.activeElement;
    return active instanceof HTMLInputElement && active.dataset["dirty"] === "yes" && this.holder.contains(active);
  }

  private part(model: Model, part: Part): HTMLElement[] {
    const prefix = `${SECTION[part.kind]}.${part.name}.`;
    const numbers = model.numbers.filter((n) => n.path.startsWith(prefix));
    return [
      h("header", {}, h("h3", {}, part.name), h("small.faint", {}, part.kind)),
      h("div.actions", {}, ...this.actions(model, part)),
      ...this.kindChoice(model, part),
      this.numbers(numbers, prefix, markersOf(model, part)),
      this.readingList(model, part),
    ];
  }

  private actions(model: Model, part: Part): HTMLElement[] {
    const button = (name: string, title: string, onclick: () => void, kind = "") =>
      h(`button.flat${kind}` as "button", { title, "aria-label": title, onclick }, icon(name));
    const list = [];
    if (part.kind === "body") list.push(button("trace", "Trace of this body", () => this.app.toggleTrace(part)));
    if (isDrivable(model, part)) list.push(button("motor", "Drive it", () => newDriver(this.app, part)));
    if (part.kind === "body") list.push(button("arrow", "Put a force on it", () => newForce(this.app, part.name)));
    list.push(button("plot", "Plot its signals", () => this.app.plotPart(part)));
    list.push(button("trash", `Delete this ${part.kind} (Del)`, () => this.app.remove(part), ".danger"));
    return list;
  }

  // A joint may become another one where it is.
  private kindChoice(model: Model, part: Part): HTMLElement[] {
    const joint = part.kind === "joint" ? model.scene.joints.find((j) => j.name === part.name) : undefined;
    if (!joint || joint.markers.length < 2) return [];
    const kinds = model.choices.connections.filter((c) => c.part === "joint").map((c) => c.kind);
    if (!kinds.includes(joint.kind)) kinds.unshift(joint.kind);
    const select = h(
      "select",
      {
        "aria-label": "Kind of joint",
        onchange: () => void this.app.perform({ do: "retype-joint", name: joint.name, kind: select.value }),
      },
      ...kinds.map((k) => h("option", { selected: k === joint.kind }, k)),
    );
    return [h("label.field", {}, h("span", {}, "kind"), select)];
  }

  // Places are named after the body they are on: "crank x" for markers.0.at.x.
  private numbers(entries: NumberEntry[], prefix: string, markers: Marker[] = []): HTMLElement {
    const label = (path: string) =>
      path.slice(prefix.length).replace(/^markers\.(\d+)\.at\.(?=.$)/, (all, k) => {
        const body = markers[Number(k)]?.body;
        return body ? `${body} ` : all;
      });
    return h("div.fields", {}, ...entries.map((entry) => this.field(label(entry.path), entry)));
  }

  private field(label: string, entry: NumberEntry): HTMLElement {
    const text = String(typeof entry.value === "number" ? Number(entry.value.toPrecision(9)) : entry.value);
    const input = h("input", {
      type: "text",
      inputmode: "decimal",
      value: text,
      "aria-label": entry.path,
      "data-path": entry.path,
    });
    input.addEventListener("input", () => (input.dataset["dirty"] = "yes"));
    input.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Enter") input.blur();
      if (event.key === "Escape") {
        input.value = text;
        input.blur();
      }
      const way = event.key === "ArrowUp" ? 1 : event.key === "ArrowDown" ? -1 : 0;
      if (way && Number.isFinite(Number(input.value))) input.value = String(nudged(Number(input.value), way));
      if (way) input.dataset["dirty"] = "yes";
    });
    input.addEventListener("blur", () => {
      delete input.dataset["dirty"];
      if (input.value.trim() !== text) void this.commit(entry, input, text);
    });
    return h("label.field", { title: entry.path }, h("span", {}, label), input, h("small", {}, unitText(entry.unit)));
  }

  private async commit(entry: NumberEntry, input: HTMLInputElement, before: string): Promise<void> {
    const typed = input.value.trim();
    const number = Number(typed.replace(",", "."));
    const value = typeof entry.value === "string" && !Number.isFinite(number) ? typed : number;
    if (typeof value === "number" && (!Number.isFinite(value) || typed === "")) {
      this.app.say("error", `'${typed}' is not a number: ${entry.path} stays ${before}.`);
      input.value = before;
      return;
    }
    const reply = await this.app.perform({ do: "set-value", path: entry.path, value });
    if (!reply.ok) input.value = before;
  }

  private readingList(model: Model, part: Part): HTMLElement {
    const mine = model.signals.filter((s) => s.name.startsWith(`${part.name}.`)).slice(0, READINGS);
    const rows = mine.map((signal) => {
      const output = h("output", {}, "");
      this.readings.push({ name: signal.name, output });
      const plot = h(
        "button.flat.small",
        {
          title: `Plot ${signal.name}`,
          "aria-label": `Plot ${signal.name}`,
          onclick: () => this.app.plots.add([signal.name]),
        },
        icon("plot"),
      );
      return h(
        "div.reading",
        {},
        h(
          "span",
          signal.unique === false ? { title: "The motion does not determine this reaction: one choice of many" } : {},
          signal.name.slice(part.name.length + 1),
          signal.unique === false ? " (not unique)" : "",
        ),
        output,
        h("small", {}, unitText(signal.unit)),
        plot,
      );
    });
    return h("div.readings", {}, ...(rows.length ? [h("h4", {}, "Now"), ...rows] : []));
  }

  private model(model: Model): HTMLElement[] {
    const rest = model.numbers.filter((n) => /^(gravity|parameters|inputs|plan|states)\./.test(n.path));
    const groups = new Map<string, NumberEntry[]>();
    for (const entry of rest) {
      const group = entry.path.split(".")[0] as string;
      groups.set(group, [...(groups.get(group) ?? []), entry]);
    }
    const sections = [...groups].map(([group, entries]) =>
      h("section", {}, h("h4", {}, group === "plan" ? "steps" : group), this.numbers(entries, `${group}.`)),
    );
    return [h("header", {}, h("h3", {}, "Method")), this.plan(model), ...sections];
  }

  private plan(model: Model): HTMLElement {
    const { plan, choices } = model;
    // What does not fit the model is shown, with the reason, and cannot be chosen.
    const option = (name: string, selected: boolean, why?: string) =>
      h(
        "option",
        { value: name, selected, disabled: Boolean(why), title: why ?? "" },
        why ? `${name}: ${firstSentence(why)}` : name,
      );
    const choice = (key: "coordinates" | "formulation" | "integrator", options: string[]) => {
      const all = options.includes(plan[key]) ? options : [plan[key], ...options];
      const select = h(
        "select",
        { id: `choose-${key}`, "aria-label": key, onchange: () => void this.setPlan(model, key, select) },
        ...all.map((o) => option(o, o === plan[key], key === "formulation" ? choices.unfit?.[o] : undefined)),
      );
      return h("label.field.wide", {}, h("span", {}, key), select);
    };
    return h(
      "div.fields",
      {},
      choice("formulation", choices.formulations),
      hasOwnRule(model) ? null : choice("integrator", choices.pairs[plan.formulation] ?? choices.integrators),
      choice("coordinates", choices.coordinates),
    );
  }

  private async setPlan(
    model: Model,
    key: "coordinates" | "formulation" | "integrator",
    select: HTMLSelectElement,
  ): Promise<void> {
    const reply = await this.app.perform({ do: "set-plan", [key]: select.value });
    if (!reply.ok) select.value = model.plan[key];
  }
}

function firstSentence(text: string): string {
  const end = text.search(/[;.](\s|$)/);
  return end < 0 ? text : text.slice(0, end);
}

// What has one coordinate that a motor can turn or move.
function isDrivable(model: Model, part: Part): boolean {
  const { planar, joints } = model.scene;
  if (part.kind === "body") return planar;
  return part.kind === "joint" && joints.find((j) => j.name === part.name)?.coordinates.length === 1;
}

// One step of the second digit.
function nudged(x: number, way: number): number {
  const step = x === 0 ? 0.1 : 10 ** (Math.floor(Math.log10(Math.abs(x))) - 1);
  return Number((x + way * step).toPrecision(6));
}

function markersOf(model: Model, part: Part): Marker[] {
  const { joints, drivers } = model.scene;
  const list = part.kind === "joint" ? joints : part.kind === "driver" ? drivers : [];
  return list.find((x) => x.name === part.name)?.markers ?? [];
}

// A formulation that takes no integrator.
export function hasOwnRule({ plan, choices }: Model): boolean {
  return choices.pairs[plan.formulation]?.length === 0;
}
