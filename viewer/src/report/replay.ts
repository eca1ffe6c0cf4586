// The replay: the mechanism in motion, with play, pause and a slider.
import { Box3, Quaternion, Vector3 } from "three";
import { h } from "../common/dom";
import { icon } from "../common/icons";
import type { SharedView } from "../common/shared";
import { onTheme } from "../common/theme";
import { TimelineBar } from "../common/timeline";
import { ForceArrows, type Reaction, reactions } from "../render/arrows";
import { Labels } from "../render/labels";
import { bodyColour } from "../render/looks";
import { MechanismView } from "../render/mechanism";
import { tracedPlaces } from "../render/paths";
import { Stage } from "../render/stage";
import { Trace } from "../render/traces";
import { POSE } from "../common/scene";
import { AMPLITUDE, ModesRun } from "./modes";
import type { Run } from "./run";
import { SPEEDS, suitableSpeed } from "./speed";

export class Replay {
  readonly element: HTMLElement;
  onTime: ((t: number) => void) | null = null;
  private readonly stage: Stage;
  private readonly view: MechanismView;
  private readonly arrows: ForceArrows;
  private readonly sources: Reaction[];
  private readonly labels: Labels;
  private readonly traces: Trace[] = [];
  private readonly poses: Float32Array;
  private readonly timeline: TimelineBar;
  private readonly clock = h("output.clock", {});
  private readonly play: HTMLButtonElement;
  private readonly legend = h("div.legend");
  private t = 0;
  private playing = false;
  private speed: number;
  private last = 0;

  constructor(private readonly run: Run) {
    const canvas = h("canvas", { tabindex: 0, "aria-label": "The mechanism in motion" });
    const overlay = h("div.labels");
    const stageElement = h("div.stage", {}, canvas, overlay, this.legend);
    this.speed = run.steps || run.loops ? 1 : suitableSpeed(run.end - run.start);
    this.timeline = new TimelineBar(
      "Time",
      (t) => this.seek(run.steps ? Math.round(t) : t),
      () => this.playing && this.toggle(),
      run.steps ? 1 : (run.end - run.start) / Math.max(run.moments.length - 1, 1),
      (t) => run.shownAt(t),
    );
    this.play = h(
      "button.primary",
      { title: "Play or pause (space)", "aria-label": "Play or pause", onclick: () => this.toggle() },
      icon("play"),
    );
    this.element = h("section.replay", {}, stageElement, this.controls());
    this.view = new MechanismView(run.data.scene, motionBox(run));
    this.poses = new Float32Array(POSE * run.data.scene.bodies.length);
    this.sources = reactions(run.data.scene, (name) => run.has(name));
    this.arrows = new ForceArrows(this.view, this.sources);
    this.arrows.root.visible = false;
    this.labels = new Labels(overlay, () => {});
    this.stage = new Stage(canvas);
    this.stage.onDraw = () => this.labels.update(this.stage);
    this.stage.scene.add(this.view.root, this.arrows.root);
    this.stage.show(this.view, false);
    this.showAll();
    this.labels.show(this.view);
    this.drawTraces();
    onTheme(() => this.arrows.refreshTheme());
    this.seek(run.start);
    this.timeline.setMarks(run.marks());
    this.view.stops.update((name) => run.value(name, run.start));
  }

  seek(t: number): void {
    this.t = Math.min(Math.max(t, this.run.start), this.run.end);
    this.run.poses(this.t, this.poses);
    this.view.update(this.poses);
    if (this.arrows.root.visible) {
      this.arrows.update((i, k) => this.run.value(this.sources[i]!.columns[k] ?? "", this.t));
      this.legend.textContent = this.arrows.legend();
    }
    this.timeline.show(this.run.start, this.run.end, this.t);
    this.clock.textContent = this.run.shownAt(this.t);
    this.stage.invalidate();
    this.onTime?.(this.t);
  }

  // As the one who saved the page saw it.
  adopt({ view, t, arrows, names }: SharedView): void {
    const press = (label: string) => this.element.querySelector<HTMLElement>(`[aria-label="${label}"]`)?.click();
    if (arrows) press("Reaction forces");
    if (names) press("Names");
    this.stage.viewpoint = view;
    this.seek(t);
  }

  toggle(): void {
    this.playing = !this.playing;
    this.play.replaceChildren(icon(this.playing ? "pause" : "play"));
    if (!this.playing) return;
    if (this.t >= this.run.end) this.seek(this.run.start);
    this.last = performance.now();
    requestAnimationFrame((now) => this.tick(now));
  }

  private tick(now: number): void {
    if (!this.playing) return;
    const t = this.t + ((now - this.last) / 1000) * this.speed;
    this.last = now;
    if (this.run.loops) this.seek(t % this.run.end);
    else this.seek(t);
    if (t >= this.run.end && !this.run.loops) this.toggle();
    else requestAnimationFrame((next) => this.tick(next));
  }

  private controls(): HTMLElement {
    const tool = (name: string, title: string, act: () => void) =>
      h(
        "button.flat",
        {
          title,
          "aria-label": title,
          onclick: (event: MouseEvent) => {
            act();
            (event.currentTarget as HTMLElement).classList.toggle("on");
            this.stage.invalidate();
          },
        },
        icon(name),
      );
    const look = (name: string) => {
      const act = () => {
        this.stage.look(name);
        this.showAll();
      };
      return h("button.flat.view", { onclick: act }, name);
    };
    const speed = h(
      "select",
      { title: "Speed", "aria-label": "Speed", onchange: () => (this.speed = Number(speed.value)) },
      ...SPEEDS.filter((s) => s === 1 || (s >= this.speed / 20 && s <= 20 * this.speed)).map((s) =>
        h("option", { value: s, selected: s === this.speed }, `${s} ×`),
      ),
    );
    const traces = tool("trace", "Paths of points", () =>
      this.traces.forEach((t) => (t.line.visible = !t.line.visible)),
    );
    traces.classList.add("on");
    return h(
      "div.transport",
      {},
      this.play,
      this.timeline.element,
      this.clock,
      ...(this.run instanceof ModesRun ? this.modeControls(this.run) : []),
      ...(this.run.steps ? [] : [speed, traces]),
      tool("arrow", "Reaction forces", () => this.toggleArrows()),
      tool("names", "Names", () => this.labels.toggle()),
      ...(this.run.data.scene.planar ? [] : ["front", "top", "side", "iso"].map(look)),
      h(
        "button.flat",
        { title: "Show everything", "aria-label": "Show everything", onclick: () => this.showAll() },
        icon("fit"),
      ),
    );
  }

  // The whole motion, from where the camera looks.
  private showAll(): void {
    this.stage.fit(this.view.size.box.clone());
  }

  // Which mode swings, and how far.
  private modeControls(run: ModesRun): HTMLElement[] {
    const again = () => {
      this.clearTraces();
      this.drawTraces();
      this.seek(this.t);
    };
    const mode = h(
      "select.mode",
      {
        title: "Mode",
        "aria-label": "Mode",
        onchange: () => {
          run.mode = Number(mode.value);
          again();
        },
      },
      ...run.shapes.modes.map((one, k) => h("option", { value: k, selected: k === run.mode }, one.label)),
    );
    const amplitude = h("input.amplitude", {
      type: "range",
      min: AMPLITUDE.least,
      max: AMPLITUDE.most,
      step: "any",
      value: run.amplitude,
      title: "Amplitude",
      "aria-label": "Amplitude",
      oninput: () => {
        run.amplitude = Number(amplitude.value);
        again();
      },
    });
    return [mode, h("label.amplitude", {}, "Amplitude", amplitude)];
  }

  private clearTraces(): void {
    for (const trace of this.traces) this.stage.scene.remove(trace.line);
    this.traces.length = 0;
  }

  private toggleArrows(): void {
    this.arrows.root.visible = !this.arrows.root.visible;
    this.legend.textContent = "";
    this.seek(this.t);
  }

  // The whole path of each traced place.
  private drawTraces(): void {
    const { run, view } = this;
    // Rows that are no motion have no path between them.
    if (run.steps) return;
    const places = tracedPlaces(run.data.scene);
    const p = new Vector3();
    for (const place of places) {
      const i = run.data.scene.bodies.findIndex((b) => b.name === place.body);
      this.traces.push(new Trace(bodyColour(i), run.moments.length));
    }
    for (const t of run.moments) {
      run.poses(t, this.poses);
      view.update(this.poses);
      places.forEach((place, k) => this.traces[k]!.push(view.place(place, p)));
    }
    for (const trace of this.traces) this.stage.scene.add(trace.line);
  }
}

// Where the bodies and the traced places are during the whole run.
function motionBox(run: Run): Box3 {
  const box = new Box3();
  const poses = new Float32Array(POSE * run.data.scene.bodies.length);
  const [p, q] = [new Vector3(), new Quaternion()];
  const places = [...tracedPlaces(run.data.scene), ...run.data.scene.bodies.map((b) => ({ body: b.name, at: b.com }))];
  const index = places.map((place) => POSE * run.data.scene.bodies.findIndex((b) => b.name === place.body));
  for (const t of run.moments) {
    run.poses(t, poses);
    places.forEach((place, k) => {
      const i = index[k]!;
      q.set(poses[i + 4]!, poses[i + 5]!, poses[i + 6]!, poses[i + 3]!);
      p.fromArray(place.at).applyQuaternion(q);
      box.expandByPoint(p.set(p.x + poses[i]!, p.y + poses[i + 1]!, p.z + poses[i + 2]!));
    });
  }
  return box;
}
