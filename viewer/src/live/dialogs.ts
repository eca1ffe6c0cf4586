// Dialogs: another model, a new body.
import { h } from "../common/dom";
import type { App } from "./app";
import type { Command } from "./protocol";

function open(title: string, ...content: HTMLElement[]): HTMLDialogElement {
  const dialog = h("dialog", { "aria-label": title }, h("h2", {}, title), ...content);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

export async function chooseModel(app: App): Promise<void> {
  const list = h("div.models", {});
  const dialog = open("Models", list);
  try {
    const answer = await fetch(`/models?token=${encodeURIComponent(app.token)}`);
    if (!answer.ok) throw new Error(`the server says ${answer.status}`);
    const models = (await answer.json()) as { path: string; name: string }[];
    const row = ({ path, name }: { path: string; name: string }) =>
      h(
        `button.row${path === app.model?.path ? ".selected" : ""}` as "button",
        {
          onclick: () => {
            dialog.close();
            void app.perform({ do: "open-model", path });
          },
        },
        h("span.name", {}, name),
        h("small", {}, path),
      );
    list.append(...models.map(row));
    if (models.length === 0) list.append(h("p.faint", {}, "There are no other models in this folder."));
  } catch (error) {
    list.append(h("p.faint", {}, `The list of models could not be read: ${(error as Error).message}.`));
  }
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
  const dialog = open(
    "New body",
    field("kind", "", kind),
    field("name", "", name),
    field("mass", "kg", mass),
    lengthField,
    field("at", "m", ...place),
    h(
      "div.buttons",
      {},
      h("button", { onclick: () => dialog.close() }, "Cancel"),
      h("button.primary", { onclick: () => void add() }, "Add"),
    ),
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
