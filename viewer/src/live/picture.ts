// What the live page draws, without the canvas: the mechanism, its reactions, traces and pulls, moved by frames.
import { Group, Mesh, MeshBasicMaterial, SphereGeometry, Vector3 } from "three";
import type { Signal } from "../common/plot";
import type { Part, Scene } from "../common/scene";
import { colour } from "../common/theme";
import { ForceArrows, type Reaction, reactions } from "../render/arrows";
import { bodyColour } from "../render/looks";
import { MechanismView } from "../render/mechanism";
import { tracedPlaces, type TracedPlace } from "../render/paths";
import type { Rows } from "./history";
import type { TimeWindow } from "./time_window";
import { rodGeometry, Span } from "../render/spans";
import { Trace } from "../render/traces";
import { type Frame, PULL } from "./protocol";

const TRACE_POINTS = 4000;
const TRACE_TIME = 15; // s
const a = new Vector3();
const b = new Vector3();

export class Picture {
  readonly root = new Group();
  readonly view: MechanismView;
  readonly sources: Reaction[];
  tracing: boolean;
  private readonly arrows: ForceArrows;
  private traces: { place: TracedPlace; trace: Trace }[] = [];
  private readonly bands: { span: Span; dot: Mesh }[] = [];
  private readonly bandMaterial = new MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.9 });
  private columns: number[][] = [];

  constructor(scene: Scene, signals: Signal[], options: { arrows: boolean; traces: boolean }) {
    this.view = new MechanismView(scene);
    const known = new Map(signals.map((s) => [s.name, s.unique !== false]));
    this.sources = reactions(
      scene,
      (name) => known.has(name),
      (name) => known.get(name) ?? true,
    );
    this.arrows = new ForceArrows(this.view, this.sources);
    this.arrows.root.visible = options.arrows;
    this.tracing = options.traces;
    this.root.add(this.view.root, this.arrows.root);
    for (const place of tracedPlaces(scene)) this.addTrace(place);
    this.refreshTheme();
  }

  // Goes on with the traces of the picture before an edit, where their bodies are still there.
  inherit(old: Picture): void {
    for (const { trace } of this.traces) trace.dispose();
    const there = new Set(this.view.scene.bodies.map((body) => body.name));
    this.traces = old.traces.filter(({ place }) => there.has(place.body));
    old.traces = old.traces.filter(({ place }) => !there.has(place.body));
    for (const { trace } of this.traces) this.root.add(trace.line);
  }

  // Which column of the frames each component of a reaction is.
  subscribed(names: string[]): void {
    const index = new Map(names.map((name, i) => [name, i]));
    this.columns = this.sources.map((s) => s.columns.map((c) => index.get(c) ?? -1));
  }

  apply(frame: Frame): void {
    this.view.update(frame.poses);
    if (this.arrows.root.visible) {
      const { signals } = frame;
      this.arrows.update((i, k) => signals[this.columns[i]?.[k] ?? -1] ?? NaN);
    }
    if (this.tracing) for (const { place, trace } of this.traces) trace.tip(this.view.place(place, a));
    this.drawPulls(frame.pulls);
  }

  // Places whose rows the traces are drawn from.
  tracedPlaces(): { body: string; at: [number, number, number] }[] {
    return this.tracing ? this.traces.map(({ place: { body, at } }) => ({ body, at })) : [];
  }

  // Every step of the last seconds.
  drawTraces(rows: Rows, shown: TimeWindow): void {
    const first = rows.names.indexOf("place0.x");
    if (first < 0 || !this.tracing) return;
    const [from, to] = [rows.rowAt(shown.now - TRACE_TIME), rows.rowAt(shown.now + 1e-9)];
    this.traces.forEach(({ trace }, k) => {
      const columns = rows.columns.slice(first + 3 * k, first + 3 * k + 3);
      if (columns.length === 3) trace.set(columns, from, to);
    });
  }

  get forces(): ForceArrows {
    return this.arrows;
  }

  get arrowsVisible(): boolean {
    return this.arrows.root.visible;
  }

  set arrowsVisible(yes: boolean) {
    this.arrows.root.visible = yes;
  }

  legend(): string {
    return this.arrows.root.visible ? this.arrows.legend() : "";
  }

  setTracing(yes: boolean): void {
    this.tracing = yes;
    for (const { trace } of this.traces) trace.line.visible = yes;
    if (!yes) this.clearTraces();
  }

  isTraced(part: Part): boolean {
    return this.traces.some(({ place }) => place.body === part.name);
  }

  // Traces of a body: its own points that leave one, or its centre of mass.
  toggleTrace(part: Part): void {
    const mine = this.traces.filter(({ place }) => place.body === part.name);
    this.traces = this.traces.filter((t) => !mine.includes(t));
    for (const { trace } of mine) trace.dispose();
    const body = this.view.scene.bodies.find((x) => x.name === part.name);
    if (mine.length === 0 && body) this.addTrace({ name: body.name, body: body.name, at: body.com });
  }

  clearTraces(): void {
    for (const { trace } of this.traces) trace.clear();
  }

  refreshTheme(): void {
    this.bandMaterial.color.set(colour("pull"));
    this.arrows.refreshTheme();
  }

  dispose(): void {
    this.view.dispose();
    this.arrows.dispose();
    for (const { trace } of this.traces) trace.dispose();
    for (const { span, dot } of this.bands) {
      span.mesh.geometry.dispose();
      dot.geometry.dispose();
    }
    this.bandMaterial.dispose();
    this.root.removeFromParent();
  }

  private addTrace(place: TracedPlace): void {
    const index = this.view.scene.bodies.findIndex((x) => x.name === place.body);
    const trace = new Trace(bodyColour(Math.max(index, 0)), TRACE_POINTS);
    trace.line.visible = this.tracing;
    this.traces.push({ place, trace });
    this.root.add(trace.line);
  }

  // An elastic line from the point that is held to where it is pulled.
  private drawPulls(pulls: Float32Array): void {
    const u = this.view.size.unit;
    const count = pulls.length / PULL;
    while (this.bands.length < count) {
      const span = new Span(rodGeometry(), this.bandMaterial, 0.22 * u);
      const dot = new Mesh(new SphereGeometry(0.75 * u, 20, 14), this.bandMaterial);
      span.mesh.renderOrder = dot.renderOrder = 11;
      this.root.add(span.mesh, dot);
      this.bands.push({ span, dot });
    }
    this.bands.forEach(({ span, dot }, i) => {
      span.mesh.visible = dot.visible = i < count;
      if (i >= count) return;
      const k = PULL * i + 2;
      span.stretch(a.fromArray(pulls, k), b.fromArray(pulls, k + 3));
      span.mesh.matrixWorldNeedsUpdate = true;
      dot.position.copy(b);
    });
  }
}
