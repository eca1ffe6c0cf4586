// Connect two points: pick both, choose what joins them.
import { Mesh, MeshBasicMaterial, SphereGeometry, Vector3 } from "three";
import { h } from "../common/dom";
import { colour } from "../common/theme";
import type { App } from "./app";
import { buttons } from "./dialogs";
import type { PickedPlace } from "./pointer";
import type { Command, Connection } from "./protocol";

export class Connecting {
  private readonly places: PickedPlace[] = [];
  private readonly dots: Mesh[] = [];
  private readonly material = new MeshBasicMaterial({ color: colour("accent"), depthTest: false });
  private readonly hint = h("div.hint", { role: "status" });
  private dialog: HTMLDialogElement | null = null;

  constructor(private readonly app: App) {
    app.overlay.append(this.hint);
    this.say("Connect: pick the first point (Esc cancels)");
  }

  get first(): PickedPlace | null {
    return this.places[0] ?? null;
  }

  picked(place: PickedPlace): void {
    if (this.places.length === 2) return;
    if (this.places.some((p) => p.body === place.body)) {
      this.say(`Both points would be on '${place.body}': pick one on another body or on the ground`);
      return;
    }
    this.places.push(place);
    const dot = new Mesh(new SphereGeometry(0.9 * this.app.picture!.view.size.unit, 20, 14), this.material);
    dot.renderOrder = 12;
    this.dots.push(dot);
    this.app.stage.scene.add(dot);
    this.update();
    if (this.places.length === 1)
      this.say(
        `On '${place.body}'. Now the second point, on another body; the same place again or empty space: the ground`,
      );
    else this.ask();
  }

  // The dots follow the bodies.
  update(): void {
    this.dots.forEach((dot, i) => this.app.picture?.view.place(asPlace(this.places[i]!), dot.position));
    this.app.stage.invalidate();
  }

  end(): void {
    this.hint.remove();
    this.dialog?.remove();
    for (const dot of this.dots) {
      dot.geometry.dispose();
      dot.removeFromParent();
    }
    this.material.dispose();
    this.app.stage.invalidate();
  }

  private say(text: string): void {
    this.hint.textContent = text;
  }

  private ask(): void {
    this.say("What joins them?");
    const { scene, choices } = this.app.model!;
    const planar = scene.planar;
    const [a, b] = this.places as [PickedPlace, PickedPlace];
    const kind = h(
      "select",
      { id: "connect-kind", "aria-label": "Kind" },
      ...choices.connections.map((c) => h("option", {}, c.kind)),
    );
    const name = h("input", { type: "text", placeholder: "name (chosen if empty)", "aria-label": "Name" });
    const axis = h(
      "select",
      { "aria-label": "Axis" },
      ...(planar ? ["x", "y"] : ["x", "y", "z", "towards the eye"]).map((k) => h("option", {}, k)),
    );
    if (!planar) axis.value = "z";
    const axisField = h("label.field", {}, h("span", {}, "along"), axis);
    const chosen = () => choices.connections.find((c) => c.kind === kind.value)!;
    const asked = h("div", {});
    const adapt = () => {
      axisField.hidden = chosen().axes === 0;
      asked.replaceChildren(...chosen().asked.map(askedField));
    };
    kind.addEventListener("change", adapt);
    const add = () => this.add(this.command(a, b, chosen(), name.value.trim(), axis.value, numbersIn(asked)));
    this.dialog = h(
      "dialog.connect",
      { "aria-label": "Connect" },
      h("h3", {}, `${a.body} – ${b.body}`),
      h("label.field", {}, h("span", {}, "kind"), kind),
      axisField,
      asked,
      h("label.field", {}, h("span", {}, "name"), name),
      buttons(() => this.app.stopConnecting(), add),
    );
    adapt();
    this.app.overlay.append(this.dialog);
    this.dialog.show();
    kind.focus();
  }

  private async add(command: Command): Promise<void> {
    const reply = await this.app.perform(command);
    if (reply.ok) this.app.stopConnecting();
  }

  private command(
    a: PickedPlace,
    b: PickedPlace,
    { part, kind, axes }: Connection,
    name: string,
    axis: string,
    numbers: Record<string, number>,
  ): Command {
    const markers = [a, b].map((place) => ({ ...asPlace(place), ...this.axisOf(place, axes, axis) }));
    const named = name ? { name } : {};
    if (part === "force")
      return { do: "add-force", force: { ...named, kind, a: markers[0], b: markers[1], ...numbers } };
    return { do: "add-joint", joint: { ...named, kind, markers } };
  }

  private axisOf(place: PickedPlace, axes: number, axis: string): { axis?: number[] } {
    if (axes === 0) return {};
    const world: Record<string, Vector3> = {
      x: new Vector3(1, 0, 0),
      y: new Vector3(0, 1, 0),
      z: new Vector3(0, 0, 1),
    };
    const direction = world[axis] ?? this.app.stage.viewDirection().negate();
    // two axes are square to each other
    if (axes === 2 && place === this.places[1]) direction.copy(square(direction));
    return { axis: this.app.picture!.view.localDirection(place.body, direction).toArray() };
  }
}

// A number that a kind asks for: "stiffness", in its unit.
function askedField({ key, unit, value }: Connection["asked"][number]): HTMLElement {
  const label = key[0]!.toUpperCase() + key.slice(1);
  const input = h("input", { type: "text", value, "aria-label": label, "data-key": key });
  return h("label.field", {}, h("span", {}, key), input, h("small", {}, unit));
}

function numbersIn(fields: HTMLElement): Record<string, number> {
  const inputs = [...fields.querySelectorAll("input")];
  return Object.fromEntries(inputs.map((input) => [input.dataset["key"]!, Number(input.value)]));
}

function square(axis: Vector3): Vector3 {
  const other = Math.abs(axis.x) < 0.9 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
  return other.cross(axis).normalize();
}

function asPlace(place: PickedPlace): { body: string; at: [number, number, number] } {
  return { body: place.body, at: place.at.toArray() };
}
