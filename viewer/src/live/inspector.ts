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
  private readonly fields = new Map<string, (entry: NumberEntry) => void>(); // by path
  private shownKey = "";

  constructor(
    private readonly holder: HTMLElement,
    private readonly app: App,
  ) {}

  // Signals of the selected part: the page subscribes to them.
  signals(): string[] {
    return this.readings.map((r) => r.name);
  }

  show(model: Model, part: Part | null): void {
    const key = JSON.stringify([part, this.entries(model, part).map((n) => n.path), model.choices, model.plan]);
    if (key === this.shownKey) {
      this.follow(model);
      return;
    }
    // What a person types stays: it is sent to the same number.
    if (this.editing()) {
      this.follow(model);
      return;
    }
    this.shownKey = key;
    this.readings = [];
    this.fields.clear();
    this.holder.replaceChildren(...(part ? this.part(model, part) : this.model(model)));
  }

  // Another page, an undo or a seek may have changed any number.
  private follow(model: Model): void {
    for (const entry of model.numbers) this.fields.get(entry.path)?.(entry);
  }

  private entries(model: Model, part: Part | null): NumberEntry[] {
    if (!part) return model.numbers.filter((n) => /^(gravity|parameters|inputs|plan|states)\./.test(n.path));
    const mine = [`${SECTION[part.kind]}.${part.name}.`];
    if (part.kind === "joint")
      for (const stop of model.scene.stops) if (stop.joint === part.name) mine.push(`stops.${stop.name}.`);
    if (part.kind === "body")
      for (const point of model.scene.points)
        if (point.on[0]?.body === part.name) mine.push(`points.${point.name}.velocity.`);
    return model.numbers.filter((n) => mine.some((prefix) => n.path.startsWith(prefix)));
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
    const all = this.entries(model, part);
    const numbers = all.filter((n) => !isStart(n.path));
    return [
      h("header", {}, h("h3", {}, part.name), h("small.faint", {}, part.kind)),
      h("div.actions", {}, ...this.actions(model, part)),
      ...this.kindChoice(model, part),
      this.numbers(numbers, prefix, markersOf(model, part)),
      ...this.starts(
        all.filter((n) => isStart(n.path)),
        prefix,
      ),
      this.readingList(model, part),
    ];
  }

  private actions(model: Model, part: Part): HTMLElement[] {
    const button = (name: string, title: string, onclick: () => void, kind = "") =>
      h(`button.flat${kind}` as "button", { title, "aria-label": title, onclick }, icon(name));
    const list = [];
    if (part.kind === "body") list.push(button("trace", "Trace of this body", () => this.app.toggleTrace(part)));
    if (part.kind === "body") {
      list.push(button("glass", "See through it (X)", () => this.app.toggleSeen(part, "glass")));
      list.push(button("hide", "Hide it (H)", () => this.app.toggleSeen(part, "hidden")));
      list.push(button("alone", "It alone; see through the others (Q)", () => this.app.toggleSeen(part, "alone")));
    }
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

  // Velocities at the start: said, or left to the joints.
  private starts(entries: NumberEntry[], prefix: string): HTMLElement[] {
    if (entries.length === 0) return [];
    const said = entries.some((entry) => entry.value !== null);
    return [h("details.starts", { open: said }, h("summary", {}, "At the start"), this.numbers(entries, prefix))];
  }

  private field(label: string, given: NumberEntry): HTMLElement {
    let entry = given;
    const input = h("input", {
      type: "text",
      inputmode: "text",
      value: textOf(entry),
      placeholder: entry.value === null ? "free" : "",
      "aria-label": entry.path,
      "data-path": entry.path,
    });
    const isDirty = () => input.dataset["dirty"] === "yes";
    this.fields.set(entry.path, (now) => {
      entry = now;
      if (!isDirty()) input.value = textOf(now);
    });
    input.addEventListener("input", () => (input.dataset["dirty"] = "yes"));
    input.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Enter") input.blur();
      if (event.key === "Escape") {
        delete input.dataset["dirty"];
        input.value = textOf(entry);
        input.blur();
      }
      const way = event.key === "ArrowUp" ? 1 : event.key === "ArrowDown" ? -1 : 0;
      if (way && input.value !== "" && Number.isFinite(Number(input.value)))
        input.value = String(nudged(Number(input.value), way));
      if (way) input.dataset["dirty"] = "yes";
    });
    input.addEventListener("blur", () => {
      const typed = isDirty() && input.value.trim() !== textOf(entry);
      delete input.dataset["dirty"];
      if (typed) void this.commit(entry, input);
      else input.value = textOf(entry);
    });
    return h("label.field", { title: entry.path }, h("span", {}, label), input, h("small", {}, unitText(entry.unit)));
  }

  // A number, or what stands for one: "500 g", "2*1.5". The program reads it.
  private async commit(entry: NumberEntry, input: HTMLInputElement): Promise<void> {
    const typed = input.value.trim();
    const number = Number(typed.replace(",", "."));
    const value = typed !== "" && Number.isFinite(number) ? number : typed;
    const reply = await this.app.perform({ do: "set-value", path: entry.path, value });
    if (!reply.ok && input.dataset["dirty"] !== "yes") input.value = textOf(entry);
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
    const rest = this.entries(model, null);
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

const isStart = (path: string) =>
  /^(bodies|joints|points)\..*(\.speed|\.(angular-)?velocity\.[xyz])$/.test(path) && !path.includes(".rotor.");

function textOf({ value }: NumberEntry): string {
  if (value === null) return "";
  return String(typeof value === "number" ? Number(value.toPrecision(9)) : value);
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
