// The live page: holds the connection, the model, the picture and the panels, and lets them speak to each other.
import { byId, h } from "../common/dom";
import { PlotPanel } from "../common/plot";
import { drawingNotes, type Part, samePart, type Scene } from "../common/scene";
import type { SharedView } from "../common/shared";
import { onTheme } from "../common/theme";
import { ForceValues } from "../render/force_values";
import { Labels } from "../render/labels";
import { Stage } from "../render/stage";
import { Connecting } from "./connect";
import { Dimension } from "./draw/dimension";
import { Drawing } from "./draw/drawing";
import { MobilityBadge } from "./draw/mobility";
import { Gallery } from "./gallery";
import { StudyPanel } from "./study/study";
import { TextPanel } from "./text/editor";
import { Connection, type Listener } from "./connection";
import { Feed } from "./feed";
import { History } from "./history";
import { Inspector } from "./inspector";
import type { Layout } from "./layout";
import { keep, recall } from "./memory";
import { editText, effects, lines, log, restoreLog, say } from "./messages";
import { Pace } from "./pace";
import { Panels } from "./panels";
import { Picture } from "./picture";
import { plotsOfPart, usualPlots } from "./plot_choice";
import { Pointer } from "./pointer";
import {
  type Command,
  Frame,
  type HistoryBlock,
  type Model,
  type Reply,
  type ServerEvent,
  type Status,
} from "./protocol";
import { StatusBar } from "./status_bar";
import { TimeControl } from "./time_control";
import { Tree } from "./tree";
import { TimeWindow } from "./time_window";
import { Visibility } from "./visibility";

const MOST_SIGNALS = 256; // of one page
const ALWAYS = ["energy.kinetic", "energy.potential", "energy.balance", "violation.position"];

export class App implements Listener {
  model: Model | null = null;
  status: Status | null = null;
  picture: Picture | null = null;
  selected: Part | null = null;
  connecting: Connecting | null = null;
  readonly history = new History();
  readonly stage: Stage;
  readonly plots: PlotPanel;
  readonly overlay: HTMLElement;
  readonly root: HTMLElement;
  readonly drawing: Drawing;
  readonly gallery: Gallery;
  readonly panels: Panels;
  readonly text: TextPanel;
  readonly study: StudyPanel;
  now = 0; // s, of the last frame
  readonly say = say;
  readonly time: TimeControl;
  readonly shown = new TimeWindow(); // what the plots show
  readonly feed: Feed;
  replaying = false; // a video is made of the picture: frames wait
  readonly visibility = new Visibility();
  private readonly connection: Connection;
  private readonly tree: Tree;
  private readonly inspector: Inspector;
  private readonly labels: Labels;
  private readonly pointer: Pointer;
  private readonly bar: StatusBar;
  private readonly pace: Pace;
  private subscribedTo = "";
  private frameRevision = -1;
  private names: string[] = [];
  private readonly mobility: MobilityBadge;
  private readonly dimension: Dimension;
  private readonly awaited: { before: number | undefined; done: () => void }[] = [];
  private readonly pulled = new Map<string, string>(); // bodies, by the names of pulls

  constructor(private readonly layout: Layout) {
    this.overlay = layout.overlay;
    this.root = layout.root;
    this.stage = new Stage(layout.canvas);
    this.labels = new Labels(layout.labels, (part) => this.select(part));
    const values = new ForceValues(layout.labels);
    this.stage.onDraw = () => {
      this.labels.update(this.stage);
      values.update(this.stage, this.picture?.forces ?? null);
      layout.scale(this.stage.cell, this.stage.pixels(this.stage.cell));
      this.drawing?.redraw();
      this.dimension?.update();
    };
    this.tree = new Tree(layout.tree, (part) => this.select(part));
    this.inspector = new Inspector(layout.inspector, this);
    this.plots = new PlotPanel(
      layout.plots,
      {
        signals: () => this.model?.signals ?? [],
        data: (names, zoomed) => this.history.data(names, zoomed ?? this.shown.range()),
        rows: (names, zoomed) => this.feed.rows(names, zoomed ?? this.shown.range()),
        marks: () => this.history.marks,
      },
      () => this.subscribe(),
    );
    this.drawing = new Drawing(this, layout.stage);
    this.dimension = new Dimension(this, layout.stage);
    this.mobility = new MobilityBadge(layout.figures);
    this.gallery = new Gallery(this);
    this.panels = new Panels(layout.root, layout.tabs);
    this.text = new TextPanel(this);
    this.study = new StudyPanel(this);
    this.pointer = new Pointer(this, layout.stage);
    this.bar = new StatusBar(layout);
    this.pace = new Pace(
      () => this.stage.drawn,
      (command) => void this.send(command),
    );
    this.time = new TimeControl(this);
    layout.time.replaceWith(this.time.element);
    this.connection = new Connection(this);
    this.feed = new Feed(this.connection, this.history);
    this.feed.onRows = () => this.picture?.drawTraces(this.history.rows, this.shown);
    setInterval(() => this.refreshPanels(), 120);
    addEventListener("pagehide", () => this.remember());
    onTheme(() => {
      this.picture?.refreshTheme();
      this.plots.rebuild();
    });
  }

  get busy(): boolean {
    return this.connection.busy;
  }

  send(command: Command): Promise<Reply> {
    return this.connection.send(command);
  }

  // Rows of the past; null where there are none.
  past(command: Command): Promise<HistoryBlock | null> {
    return this.connection.history(command);
  }

  // A command of a person: a refusal is said aloud, and what closing the joints took.
  async perform(command: Command): Promise<Reply> {
    const reply = await this.send(command);
    if (!reply.ok) say("error", reply.error ?? "Refused.");
    else if (effects(reply).length) say("info", [editText(command), ...effects(reply)].join(" · "));
    return reply;
  }

  silent(yes: boolean): void {
    this.layout.root.classList.toggle("offline", yes);
    this.sayLost(
      "The program does not answer",
      "It is connected, but has said nothing for some seconds: it may be stopped, or very busy. This page goes on by itself when it answers.",
    );
  }

  connected(yes: boolean): void {
    this.layout.root.classList.toggle("offline", !yes);
    this.subscribedTo = "";
    if (yes) this.feed.restart();
    this.pace.restart();
    if (yes) this.subscribe();
    else
      this.sayLost(
        "No connection",
        "The program is not answering. This page comes back by itself when it does. If you started it again, it has another address: open the one that it prints.",
      );
  }

  outdated(): void {
    this.sayLost(
      "This address is no longer valid",
      "The program was started again and has a new address: open the one that 'trammel view' printed, and close this page.",
    );
  }

  private sayLost(title: string, text: string): void {
    this.layout.lost.replaceChildren(h("b", {}, title), h("span", {}, text));
  }

  event(event: ServerEvent): void {
    switch (event.event) {
      case "model":
        this.showModel(event);
        break;
      case "subscribed":
        this.frameRevision = event.revision;
        this.names = event.signals;
        this.history.setNames(event.signals);
        this.picture?.subscribed(event.signals);
        break;
      case "status":
        this.status = event;
        this.bar.status(event);
        this.pointer.statusChanged();
        this.time.status(event);
        if (event.timeline) {
          this.shown.hear(event.timeline);
          this.feed.hear({ ...event.timeline });
        }
        break;
      case "journal":
        if (event.entry.edit["do"] === "reset") this.stage.refit();
        this.logEdit(event.entry.edit, event.entry.t);
        break;
      case "message":
        // Impacts and the like come by the dozen: they are in the log.
        if (event.level === "info") log("info", event.text, event.t);
        else say(event.level, event.text, event.t);
        break;
      case "mobility":
        this.mobility.show(event);
        break;
      case "watching":
        this.root.classList.add("watching");
        say("info", "You are watching: whoever started the program can change things.");
        break;
      case "no-model":
        void this.gallery.open();
        break;
    }
  }

  // A pull is told when it ends, by what was pulled.
  private logEdit(edit: Record<string, unknown>, t: number): void {
    const name = String(edit["name"] ?? "pull");
    if (edit["do"] === "seek") return;
    if (edit["do"] === "pull") {
      if (edit["body"]) this.pulled.set(name, String(edit["body"]));
      return;
    }
    const body = edit["do"] === "release" && edit["name"] ? this.pulled.get(name) : undefined;
    log("edit", body ? `pull on ${body} released` : editText(edit), t);
  }

  frame(buffer: ArrayBuffer): void {
    let frame: Frame;
    try {
      frame = new Frame(buffer);
    } catch (error) {
      say("error", `The program sent ${(error as Error).message}; reload the page.`);
      return;
    }
    if (frame.revision !== this.model?.revision || !this.picture) return;
    if (frame.poses.length !== 7 * this.model.scene.bodies.length || this.replaying) return;
    if (frame.revision === this.frameRevision && frame.signals.length === this.names.length)
      this.history.push(frame.t, frame.signals);
    this.pace.frame();
    this.now = frame.t;
    this.study.follow(frame.t);
    this.picture.apply(frame);
    this.picture.view.stops.update((name) => this.history.latest(name));
    this.connecting?.update();
    this.bar.frame(frame, this.history, this.picture.legend());
    this.time.frame(frame);
    this.feed.reached(frame.step, frame.t);
    this.shown.at(frame.t);
    if (!this.pointer.pulling) this.stage.follow();
    this.stage.invalidate();
  }

  select(part: Part | null): void {
    if (samePart(part, this.selected) && part !== null) part = null;
    this.selected = part;
    this.picture?.view.select(part);
    this.tree.select(part);
    if (this.model) this.inspector.show(this.model, part);
    this.subscribe();
    this.stage.invalidate();
  }

  remove(part: Part): void {
    void this.perform({ do: `remove-${part.kind}`, name: part.name });
  }

  startConnecting(): void {
    this.stopConnecting();
    if (this.picture) this.connecting = new Connecting(this);
  }

  stopConnecting(): void {
    this.connecting?.end();
    this.connecting = null;
  }

  // Esc: one thing after the other.
  escape(): void {
    if (this.drawing.escape()) return;
    if (this.connecting) this.stopConnecting();
    else if (this.bar.pulls > 0) {
      this.pointer.cancel();
      void this.perform({ do: "release" });
    } else this.select(null);
  }

  // Through it, not at all, or it alone.
  toggleSeen(part: Part, how: "glass" | "hidden" | "alone"): void {
    const view = this.picture?.view;
    if (!view) return;
    if (how === "alone") this.visibility.isolate(view, part.name);
    else this.visibility.toggle(view, part.name, how);
    this.showToggles();
  }

  showAll(): void {
    if (this.picture) this.visibility.showAll(this.picture.view);
    this.showToggles();
  }

  toggleTrace(part: Part): void {
    this.picture?.toggleTrace(part);
    this.subscribe();
  }

  toggleArrows(): void {
    if (!this.picture) return;
    this.picture.arrowsVisible = !this.picture.arrowsVisible;
    this.subscribe();
    this.showToggles();
  }

  toggleTraces(): void {
    if (!this.picture) return;
    this.picture.setTracing(!this.picture.tracing);
    this.subscribe();
    this.showToggles();
  }

  toggleNames(): void {
    this.labels.toggle();
    this.showToggles();
  }

  // 0: everything.
  showWindow(seconds: number): void {
    this.shown.seconds = seconds;
    this.layout.window.value = String(seconds);
    this.feed.show(this.shown.length);
    this.plots.refresh();
  }

  private showToggles(): void {
    const light = (id: string, on: boolean) => byId(id).classList.toggle("on", on);
    light("arrows", this.picture?.arrowsVisible ?? false);
    light("traces", this.picture?.tracing ?? false);
    light("names", this.labels.visible);
    byId("show-all").hidden = !this.visibility.any;
    this.stage.invalidate();
  }

  // For a page that is loaded again.
  private remember(): void {
    if (!this.model || !this.picture) return;
    keep(this.model.path, {
      plots: this.plots.plots.map(({ names, log }) => ({ names, log })),
      arrows: this.picture.arrowsVisible,
      traces: this.picture.tracing,
      names: this.labels.visible,
      window: this.shown.seconds,
      log: lines,
    });
  }

  // The signals that say most of a part.
  plotPart(part: Part): void {
    const chosen = this.model ? plotsOfPart(this.model, part) : [];
    for (const names of chosen) this.plots.add(names);
    if (chosen.length === 0) say("info", `'${part.name}' has no signals to plot.`);
  }

  // What is seen now, for a page to share.
  sharedView(): SharedView {
    return {
      view: this.stage.viewpoint,
      t: this.now,
      arrows: this.picture?.arrowsVisible ?? false,
      names: this.labels.visible,
      plots: this.plots.plots.map(({ names, log }) => ({ names, log })),
    };
  }

  // An empty sheet, before anything is drawn on it.
  showSheet(scene: Scene): void {
    this.model = null;
    this.selected = null;
    this.picture?.dispose();
    this.picture = new Picture(scene, [], { arrows: false, traces: true });
    this.stage.scene.add(this.picture.root);
    this.stage.show(this.picture.view, false);
    this.stage.hold();
    this.labels.show(this.picture.view);
    this.tree.show(scene);
    this.layout.modelName.textContent = "drawing";
    document.title = "drawing – Trammel";
    this.sheet = true;
  }

  // Until the model of a later revision has come.
  modelAfter(before: number | undefined): Promise<void> {
    if (this.model && this.model.revision !== before) return Promise.resolve();
    return new Promise((done) => this.awaited.push({ before, done }));
  }

  private sheet = false; // the next model is drawn on it

  private showModel(model: Model): void {
    const before = this.model;
    const another = before?.path !== model.path && !this.sheet;
    if (another && before) this.remember();
    this.model = model;
    document.title = `${model.scene.name} – Trammel`;
    this.stopConnecting();
    this.showPicture(model, another);
    if (!this.selected || !exists(model, this.selected)) this.selected = null;
    this.picture?.view.select(this.selected);
    this.tree.show(model.scene);
    this.tree.select(this.selected);
    this.inspector.show(model, this.selected);
    this.bar.model(model);
    this.drawing.modelShown(model.scene.planar);
    this.text.modelShown(model.revision);
    this.study.modelShown(model);
    this.gallery.close();
    for (const { done } of this.awaited.splice(0)) done();
    if (this.sheet) this.firstPlots(model);
    this.sheet = false;
    if (another && model.scene.notes.length > 0) say("warning", drawingNotes(model.scene.notes));
    if (another) this.comeBack(model);
    else if (before) this.markMethod(before.plan, model.plan);
    this.subscribe(true);
  }

  private showPicture(model: Model, another: boolean): void {
    const old = this.picture;
    this.picture = new Picture(model.scene, model.signals, {
      arrows: old?.arrowsVisible ?? false,
      traces: old?.tracing ?? true,
    });
    if (old && !another) this.picture.inherit(old);
    old?.dispose();
    this.picture.subscribed(this.names);
    this.visibility.apply(this.picture.view);
    this.stage.scene.add(this.picture.root);
    this.stage.show(this.picture.view, !another);
    this.labels.show(this.picture.view);
    this.layout.empty.hidden = model.scene.bodies.length > 0;
  }

  // So that curves show what another method does.
  private markMethod(before: Model["plan"], now: Model["plan"]): void {
    const changed = (["formulation", "integrator", "coordinates"] as const).filter((k) => before[k] !== now[k]);
    if (changed.length) this.history.mark(now[changed[0]!]);
  }

  // As the page was left with this model, or as a first look wants it.
  private comeBack(model: Model): void {
    const kept = recall(model.path);
    if (this.picture) {
      this.picture.arrowsVisible = kept.arrows ?? this.picture.arrowsVisible;
      this.picture.setTracing(kept.traces ?? this.picture.tracing);
    }
    if ((kept.names ?? this.labels.visible) !== this.labels.visible) this.labels.toggle();
    if (kept.log && lines.length === 0) restoreLog(kept.log);
    this.firstPlots(model, kept.plots);
    this.showWindow(kept.window ?? this.shown.seconds);
    this.showToggles();
  }

  private firstPlots(model: Model, kept?: { names: string[]; log: boolean }[]): void {
    for (const plot of [...this.plots.plots]) this.plots.remove(plot);
    this.history.clear();
    const has = (name: string) => model.signals.some((s) => s.name === name);
    for (const { names, log } of kept ?? usualPlots(model)) this.plots.add(names.filter(has), log);
  }

  // Asks for what the page shows, and only when that changes.
  private subscribe(anew = false): void {
    const known = new Set(this.model?.signals.map((s) => s.name));
    const arrows = this.picture?.arrowsVisible ? this.picture.sources.flatMap((s) => s.columns) : [];
    this.feed.want(
      this.plots.names().filter((n) => known.has(n)),
      this.picture?.tracedPlaces() ?? [],
    );
    const stops = this.picture?.view.stops.signals() ?? [];
    const wanted = [...ALWAYS, ...stops, ...this.inspector.signals(), ...arrows].filter((n) => known.has(n));
    const signals = [...new Set(wanted)].slice(0, MOST_SIGNALS);
    const key = JSON.stringify(signals);
    if (!this.model || (key === this.subscribedTo && !anew)) return;
    this.subscribedTo = key;
    void this.send({ do: "subscribe", signals });
  }

  private refreshPanels(): void {
    if (document.hidden || !this.model) return;
    this.inspector.refresh();
    this.plots.refresh();
    this.plots.mark(this.time.behind ? this.bar.time : null);
  }
}

function exists(model: Model, part: Part): boolean {
  const { bodies, joints, forces, drivers } = model.scene;
  const lists = { body: bodies, joint: joints, force: forces, driver: drivers };
  return lists[part.kind].some((x) => x.name === part.name);
}
