// Dialogs: a new body, a driver, a force, and what is saved.
import { h } from "../common/dom";
import type { Part } from "../common/scene";
import type { App } from "./app";
import type { Command } from "./protocol";
import { saveReport, saveText } from "./saving";

export function openDialog(title: string, ...content: HTMLElement[]): HTMLDialogElement {
  const dialog = h("dialog.form", { "aria-label": title }, h("h2", {}, title), ...content);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

// As it begins, or as it stands and moves now.
export function saveModel(app: App): void {
  const choice = (label: string, text: string, now: boolean) =>
    h(
      "button.row.choice",
      {
        onclick: () => {
          dialog.close();
          void saveText(app, now);
        },
      },
      h("span.name", {}, label),
      h("small", {}, text),
    );
  const dialog = openDialog(
    "Save the model",
    choice("As at the start", "what Reset goes back to, with your edits", false),
    choice("As it moves now", "a run of the file goes on from here", true),
    h(
      "button.row.choice",
      {
        onclick: () => {
          dialog.close();
          void saveReport(app);
        },
      },
      h("span.name", {}, "A page to share"),
      h("small", {}, "one HTML file: the model, its motion from the start, curves; needs no program"),
    ),
  );
}

// Where the mechanism is, so that the body is seen.
export function newBody(app: App): void {
  const view = app.picture?.view;
  if (!view) return;
  const planar = view.scene.planar;
  const size = Number((0.3 * view.size.size).toPrecision(2));
  const centre = app.stage.controls.target.toArray().map((x) => Number(x.toPrecision(3)));
  const text = (value: string | number, label: string) => h("input", { type: "text", value, "aria-label": label });
  const kind = h("select", { "aria-label": "Kind" }, ...["rod", "point-mass", "rigid"].map((k) => h("option", {}, k)));
  const name = text("", "Name");
  const mass = text(1, "Mass");
  const length = text(size, "Length");
  const place = centre.slice(0, planar ? 2 : 3).map((x, k) => text(x, `Position ${"xyz"[k]}`));
  const field = (label: string, unit: string, ...inputs: HTMLElement[]) =>
    h("label.field", {}, h("span", {}, label), ...inputs, h("small", {}, unit));
  const lengthField = field("length", "m", length);
  kind.addEventListener("change", () => (lengthField.hidden = kind.value === "point-mass"));
  const add = async () => {
    const at = [0, 0, 0].map((_, k) => Number(place[k]?.value ?? 0));
    const reply = await app.perform(
      bodyCommand(kind.value, name.value.trim(), Number(mass.value), Number(length.value), at, planar),
    );
    if (reply.ok) dialog.close();
  };
  const dialog = openDialog(
    "New body",
    field("kind", "", kind),
    field("name", "", name),
    field("mass", "kg", mass),
    lengthField,
    field("at", "m", ...place),
    buttons(() => dialog.close(), add),
  );
}

// A rigid body of that length is a slab of it: a quarter as wide, an eighth as thick.
function bodyCommand(kind: string, name: string, mass: number, length: number, at: number[], planar: boolean): Command {
  const body: Record<string, unknown> = { kind, mass, at, ...(name ? { name } : {}) };
  if (kind === "rod") body["length"] = length;
  if (kind === "rigid") {
    const [x, y, z] = [length ** 2, (length / 4) ** 2, (length / 8) ** 2];
    const moment = (p: number, q: number) => (mass / 12) * (p + q);
    body["inertia"] = planar ? moment(x, y) : [moment(y, z), moment(x, z), moment(x, y)];
  }
  return { do: "add-body", body };
}

// A motor on a joint, or on the angle of a planar body: held as it is, or along an expression of t.
export function newDriver(app: App, part: Part): void {
  const mode = h(
    "select",
    { "aria-label": "What it does" },
    ...["hold as it is", "follow"].map((k) => h("option", {}, k)),
  );
  const equals = h("input", { type: "text", value: "0.5*sin(2*t)", "aria-label": "Expression of t" });
  const expression = h("label.field", { hidden: true }, h("span", {}, "equals"), equals);
  mode.addEventListener("change", () => (expression.hidden = mode.value !== "follow"));
  const add = async () => {
    const what = mode.value === "follow" ? { equals: [equals.value.trim()] } : { hold: true };
    const kind = part.kind === "joint" ? "joint" : "body-angle";
    const reply = await app.perform({ do: "add-driver", driver: { kind, of: part.name, ...what } });
    if (reply.ok) dialog.close();
  };
  const field = h("label.field", {}, h("span", {}, "motion"), mode);
  const dialog = openDialog(
    `Drive ${part.name}`,
    field,
    expression,
    buttons(() => dialog.close(), add),
  );
}

// A force at a body's centre of mass, in world axes; numbers or expressions.
export function newForce(app: App, name: string): void {
  const scene = app.model?.scene;
  const body = scene?.bodies.find((b) => b.name === name);
  if (!scene || !body) return;
  const inputs = ["x", "y", "z"].slice(0, scene.planar ? 2 : 3).map((axis) => {
    const input = h("input", { type: "text", value: "0", "aria-label": `Force along ${axis}` });
    return { input, field: h("label.field", {}, h("span", {}, `along ${axis}`), input, h("small", {}, "N")) };
  });
  const add = async () => {
    const components = inputs.map(({ input }) => input.value.trim());
    const force = { kind: "force", at: { body: name, at: body.com }, components };
    const reply = await app.perform({ do: "add-force", force });
    if (reply.ok) dialog.close();
  };
  const dialog = openDialog(
    `Force on ${name}`,
    ...inputs.map((i) => i.field),
    buttons(() => dialog.close(), add),
  );
}

export function buttons(cancel: () => void, add: () => Promise<void>, label = "Add"): HTMLElement {
  return h(
    "div.buttons",
    {},
    h("button", { onclick: cancel }, "Cancel"),
    h("button.primary", { onclick: () => void add() }, label),
  );
}
