// The drawing board: tools, what the pointer means with each, and the entries that they write into the model.
import { Vector3 } from "three";
import { h } from "../../common/dom";
import { icon } from "../../common/icons";
import type { App } from "../app";
import { Measuring } from "../measuring";
import { type Change, decimal, Names, Pencil } from "./changes";
import { Preview } from "./preview";
import { emptyScene, emptyText } from "./sheet";
import { BodiesAt, drivable, gears, ground, pin, weld } from "./parts";
import { free, snap, type Spot } from "./snap";
import { toolNamed, type Tool, type ToolName, TOOLS } from "./tools";
import { metres, TypedBox } from "./typed";

const DRAG = 12; // pixels: a press that moves as far is a stroke
const STIFFNESS = 100; // N/m of a drawn spring
const DAMPING = 10; // N.s/m of a drawn damper
const SPEED = "60 rpm"; // of a drawn motor

export class Drawing {
  tool: Tool | null = null;
  readonly measuring: Measuring;
  private sheet: { planar: boolean } | null = null;
  private picks: Spot[] = [];
  private hover: Spot | null = null;
  private pressed: { x: number; y: number } | null = null;
  private last = { x: 0, y: 0 };
  private busy: Promise<void> = Promise.resolve();
  private readonly preview: Preview;
  private readonly typed: TypedBox;
  private readonly hint = h("div.hint", { role: "status", hidden: true });
  private readonly buttons = new Map<ToolName, HTMLButtonElement>();
  private readonly box: HTMLElement;

  constructor(
    private readonly app: App,
    private readonly holder: HTMLElement,
  ) {
    this.preview = new Preview(holder, app.stage);
    this.measuring = new Measuring(app, this.preview);
    this.typed = new TypedBox(
      holder,
      (values) => this.typedIn(values),
      () => this.cancel(),
    );
    this.box = this.toolbox();
    holder.append(this.box, this.hint);
    // before the view and the mouse's own listeners
    const root = holder.parentElement ?? holder;
    root.addEventListener("pointerdown", (event) => this.down(event), { capture: true });
    addEventListener("pointermove", (event) => this.move(event));
    addEventListener("pointerup", (event) => this.up(event));
    addEventListener("keydown", (event) => this.keyed(event), { capture: true });
  }

  get active(): boolean {
    return this.tool !== null;
  }

  private get view() {
    return this.app.picture?.view ?? null;
  }

  // An empty sheet: nothing is asked of the program before something is drawn.
  newSheet(planar: boolean): void {
    this.sheet = { planar };
    this.app.showSheet(emptyScene(planar));
    void this.choose("link");
  }

  // Of another model, or the same after an edit.
  modelShown(planar: boolean): void {
    this.sheet = null;
    for (const tool of TOOLS) this.buttons.get(tool.name)!.hidden = Boolean(tool.planar) && !planar;
    this.box.hidden = (this.app.model?.scene.coordinates.length ?? 0) > 0;
  }

  async choose(name: ToolName | null): Promise<void> {
    this.cancel();
    const tool = name && toolNamed(name);
    this.tool = tool;
    for (const [key, button] of this.buttons) {
      button.classList.toggle("on", key === tool?.name);
      button.setAttribute("aria-pressed", String(key === tool?.name));
    }
    this.holder.classList.toggle("drawing", tool !== null);
    if (tool) this.unfold(true);
    if (tool?.name !== "measure") this.measuring.clear();
    this.showHint();
    if (tool && tool.name !== "measure") await this.goToStart();
  }

  // What is drawn is where the mechanism begins.
  private async goToStart(): Promise<void> {
    const { status, model } = this.app;
    if (!model || !status) return;
    if (!status.paused) await this.app.send({ do: "pause" });
    if (this.app.now > 0) await this.app.perform({ do: "reset" });
  }

  // Esc: what is begun, then the tool.
  escape(): boolean {
    if (this.typed.open) this.typed.hide();
    if (this.picks.length) {
      this.cancel();
      return true;
    }
    if (!this.tool) return false;
    void this.choose(null);
    return true;
  }

  redraw(): void {
    if (this.tool?.name === "measure" || this.measuring.shown)
      this.measuring.draw(this.picks.length ? this.hover : null);
    else if (this.picks.length || this.hover) this.showPreview();
  }

  private toolbox(): HTMLElement {
    const button = (tool: Tool) => {
      const title = `${tool.label} (${tool.key.toUpperCase()})`;
      const element = h("button.flat", {
        id: `tool-${tool.name}`,
        title,
        "aria-label": tool.label,
        "aria-pressed": "false",
        onclick: () => void this.choose(this.tool === tool ? null : tool.name),
      });
      element.innerHTML = `<svg class="icon" viewBox="0 0 20 20" aria-hidden="true">${tool.picture}</svg>`;
      this.buttons.set(tool.name, element);
      return element;
    };
    const all = h("button.flat.unfold", {
      title: "Drawing tools",
      "aria-label": "Drawing tools",
      "aria-expanded": "false",
      onclick: () => this.unfold(!this.box.classList.contains("unfolded")),
    });
    all.append(icon("pencil"));
    return h("div.toolbox", { role: "toolbar", "aria-label": "Drawing tools" }, all, ...TOOLS.map(button));
  }

  // On a phone the tools stand in the picture only while they are wanted.
  private unfold(yes: boolean): void {
    this.box.classList.toggle("unfolded", yes);
    this.box.querySelector(".unfold")!.setAttribute("aria-expanded", String(yes));
    if (!yes) void this.choose(null);
  }

  private cancel(): void {
    this.picks = [];
    this.hover = null;
    this.pressed = null;
    this.typed?.hide();
    this.preview?.clear();
    if (this.tool) this.showHint();
  }

  private showHint(): void {
    const { tool, picks } = this;
    this.hint.hidden = !tool;
    if (tool) this.hint.textContent = tool.hints[Math.min(picks.length, tool.hints.length - 1)]!;
  }

  private spot(event: { clientX: number; clientY: number; altKey: boolean }): Spot | null {
    if (!this.view) return null;
    const from = this.picks.at(-1)?.world ?? null;
    return snap(this.app.stage, this.view, event.clientX, event.clientY, from, event.altKey);
  }

  private down(event: PointerEvent): void {
    if (!this.tool || event.button !== 0 || !event.isPrimary || event.target !== this.app.stage.canvas) return;
    event.stopPropagation();
    this.app.stage.canvas.focus({ preventScroll: true });
    this.pressed = { x: event.clientX, y: event.clientY };
    const spot = this.spot(event);
    if (spot) this.pick(spot, event);
  }

  private move(event: PointerEvent): void {
    if (!this.tool || !event.isPrimary || this.typed.open) return;
    this.last = { x: event.clientX, y: event.clientY };
    this.hover = event.target === this.app.stage.canvas ? this.spot(event) : null;
    this.redraw();
  }

  // A stroke ends where the button is let go.
  private up(event: PointerEvent): void {
    const begun = this.pressed;
    this.pressed = null;
    if (!this.tool || !begun || this.picks.length === 0 || this.tool.picks === 1) return;
    if (Math.hypot(event.clientX - begun.x, event.clientY - begun.y) < DRAG) return;
    const spot = this.spot(event);
    if (spot) this.pick(spot, event);
  }

  private pick(spot: Spot, event: { clientX: number; clientY: number }): void {
    const tool = this.tool!;
    const first = this.picks[0];
    if (tool.name === "plate" && this.picks.length > 2 && first && spot.world.distanceTo(first.world) < 1e-9) {
      this.closePlate();
      return;
    }
    this.picks.push(spot);
    this.last = { x: event.clientX, y: event.clientY };
    this.hover = null;
    if (tool.name === "measure") this.measuring.pick(spot, this.view);
    if (tool.picks > 0 && this.picks.length === tool.picks) this.complete(this.picks);
    else this.redraw();
    this.showHint();
  }

  private keyed(event: KeyboardEvent): void {
    const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
    if (typing || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog:modal")) return;
    if (event.key === "Enter" && this.tool?.name === "plate" && this.picks.length > 2) this.closePlate();
    else if (/^[\d.,-]$/.test(event.key) && this.picks.length > 0) this.typeFrom(event.key);
    else {
      const tool = TOOLS.find((t) => t.key === event.key.toLowerCase());
      const shown = tool && !this.buttons.get(tool.name)!.hidden && !this.box.hidden && this.view;
      if (!tool || !shown || event.target instanceof HTMLSelectElement) return;
      void this.choose(tool.name);
    }
    event.preventDefault();
    event.stopPropagation();
  }

  // The pointer's place in the stage.
  private here(): { x: number; y: number } {
    const bounds = this.holder.getBoundingClientRect();
    return { x: this.last.x - bounds.left, y: this.last.y - bounds.top };
  }

  private typeFrom(first: string): void {
    const { tool } = this;
    const from = this.picks.at(-1)!.world;
    const way = (this.hover?.world ?? from).clone().sub(from);
    const angle = { key: "angle", label: "angle", unit: "°" };
    const degrees = decimal((Math.atan2(way.y, way.x) * 180) / Math.PI);
    const { x, y } = this.here();
    if (tool?.typed === "ratio") this.typed.show(x, y, [{ key: "ratio", label: "ratio", unit: "" }], {}, first);
    else if (tool?.typed === "angle") this.typed.show(x, y, [angle], {}, first);
    else this.typed.show(x, y, [{ key: "length", label: "length", unit: "m" }, angle], { angle: degrees }, first);
  }

  private typedIn(values: Record<string, string>): void {
    if (this.editing) {
      this.editing(values);
      this.editing = null;
      return;
    }
    const from = this.picks.at(-1);
    if (!from || !this.tool) return;
    const turn = (Number((values["angle"] ?? "0").replace(",", ".")) * Math.PI) / 180;
    if (this.tool.typed === "ratio") {
      if (this.hover) this.complete([...this.picks, this.hover], Number(values["ratio"]));
      return;
    }
    const length = this.tool.typed === "angle" ? 1 : metres(values["length"] ?? "");
    if (!(length > 0) || !Number.isFinite(turn)) {
      this.app.say("error", `'${values["length"] ?? values["angle"]}' is not a length: write 0.3, 30 cm or 12 in.`);
      return;
    }
    const way = new Vector3(Math.cos(turn), Math.sin(turn), 0).multiplyScalar(length);
    const spot = free(from.world.clone().add(way));
    this.picks.push(spot);
    if (this.tool.picks === 2) this.complete(this.picks, this.tool.chains ? length : undefined);
    else this.redraw();
  }

  private editing: ((values: Record<string, string>) => void) | null = null;

  // A number of a thing that is drawn already, at a place of the picture.
  edit(world: Vector3, label: string, unit: string, value: string, done: (text: string) => void): void {
    const { x, y } = this.preview.pixel(world);
    this.editing = (values) => done(values["value"] ?? "");
    this.typed.show(x, y, [{ key: "value", label, unit }], { value });
  }

  private closePlate(): void {
    const corners = this.picks;
    this.cancel();
    this.write((pencil) => pencil.plate(corners));
  }

  // All places of a tool are known.
  private complete(picks: Spot[], typed?: number): void {
    const tool = this.tool!;
    const [a, b] = picks as [Spot, Spot];
    this.cancel();
    if (picks.length > 1 && a.world.distanceTo(b.world) < 1e-9 && tool.apart) {
      this.app.say("warning", "Both places are the same: nothing was drawn.");
      return;
    }
    const draw = this.writers()[tool.name];
    if (draw) void this.write((pencil) => draw(pencil, a, b, typed));
    else if (tool.name === "motor") this.motor(a);
    else this.copy(tool.name === "mirror", a.world, b.world);
    // The next link of a chain begins where this one ends.
    if (tool.chains) {
      this.picks = [b];
      this.showHint();
    }
  }

  // What each tool writes; the others do more than that.
  private writers(): Partial<Record<ToolName, (pencil: Pencil, a: Spot, b: Spot, typed?: number) => void>> {
    const bodies = () => new BodiesAt(this.app.stage, this.view!);
    return {
      link: (pencil, a, b, typed) => pencil.link(a, b, typed),
      ground: (pencil, a) => ground(pencil, a),
      pin: (pencil, a) => pin(pencil, bodies(), a),
      slider: (pencil, a, b) => pencil.slider(a, b.world.clone().sub(a.world)),
      fixed: (pencil, a, b) => weld(pencil, bodies(), a, b),
      spring: (pencil, a, b) => pencil.spring(a, b, STIFFNESS, 0),
      damper: (pencil, a, b) => pencil.spring(a, b, 0, DAMPING),
      gear: (pencil, a, b, typed) => gears(pencil, bodies(), a, b, typed),
    };
  }

  // Writes one thing after the other: names of the next depend on those of the last.
  private write(draw: (pencil: Pencil) => void): Promise<void> {
    this.busy = this.busy.then(async () => {
      const view = this.view;
      if (!view) return;
      const pencil = new Pencil(view, new Names(view.scene, Object.keys(view.scene.parameters)));
      try {
        draw(pencil);
      } catch (error) {
        this.app.say("warning", (error as Error).message);
        return;
      }
      if (!(await this.send(pencil.changes))) this.cancel();
    });
    return this.busy;
  }

  private async send(changes: Change[]): Promise<boolean> {
    const { sheet, app } = this;
    const command = sheet
      ? { do: "new-model", text: emptyText(sheet.planar), changes }
      : { do: "change-text", changes, name: changes.at(-1)!.path[1] };
    const before = app.model?.revision;
    const reply = await app.perform(command);
    if (reply.ok) await app.modelAfter(before);
    return reply.ok;
  }

  // A motor turns what is pinned to the ground there; its speed is asked for at once.
  private motor(spot: Spot): void {
    const turns = drivable(new BodiesAt(this.app.stage, this.view!), spot);
    if (!turns) {
      this.app.say("warning", "Motor: click a pin on the ground, or a joint with one coordinate.");
      return;
    }
    let name = "";
    void this.write((pencil) => (name = pencil.motor(turns, SPEED))).then(() => {
      if (this.app.model?.scene.drivers.some((d) => d.name === name)) this.editMotor(name, spot.world);
    });
  }

  editMotor(name: string, world: Vector3): void {
    const driver = this.app.model?.scene.drivers.find((d) => d.name === name);
    const speed = driver?.equals[0] ?? "";
    const shown = Number.isFinite(Number(speed)) ? `${decimal((Number(speed) * 30) / Math.PI)} rpm` : speed;
    this.edit(world, "speed", "", shown, (text) => {
      if (text && text !== shown) void this.send([{ path: ["drivers", name, "equals"], value: quoted(text) }]);
    });
  }

  private copy(mirrored: boolean, from: Vector3, to: Vector3): void {
    const { selected, model } = this.app;
    const bodies = selected?.kind === "body" ? [selected.name] : model?.scene.bodies.map((b) => b.name);
    if (!bodies?.length) return;
    const way = to.clone().sub(from).toArray();
    const how = mirrored ? { mirror: { through: from.toArray(), along: way } } : { by: way };
    void this.app.perform({ do: "copy-bodies", bodies, ...how });
  }

  private showPreview(): void {
    const { picks, hover, tool } = this;
    const from = picks.at(-1)?.world;
    let text = hover?.point ? hover.point : hover?.body ? `on ${hover.body}` : "";
    if (from && hover && tool?.picks !== 1) {
      const way = hover.world.clone().sub(from);
      const angle = (Math.atan2(way.y, way.x) * 180) / Math.PI;
      const length = `${decimal(Number(way.length().toPrecision(4)))} m`;
      text = `${tool?.typed === "angle" ? "" : `${length}  `}${angle.toFixed(angle % 1 ? 1 : 0)}°${text ? `  ${text}` : ""}`;
    }
    this.preview.show(picks, hover, text, tool?.name === "plate" && picks.length > 1);
  }
}

// A formula with characters that YAML takes for its own is a text.
function quoted(text: string): string {
  return /^[\w\s.+\-*/^()]+$/.test(text) ? text : JSON.stringify(text);
}
