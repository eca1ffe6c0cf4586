// Asks the program for the steps that curves and traces show, one request after the other.
import type { PlotData, Range } from "../common/plot";
import { type History, Rows } from "./history";
import { type Command, HistoryBlock, type Timeline } from "./protocol";

const REST = 60; // ms between two requests
const BLOCK = 20_000; // rows, as the program limits them
const MARGIN = 2; // steps

export interface FeedSource {
  history(command: Command): Promise<HistoryBlock | null>;
}

export interface Place {
  body: string;
  at: [number, number, number];
}

export class Feed {
  timeline: Timeline | null = null;
  onRows: (() => void) | null = null;
  private names: string[] = [];
  private places: Place[] = [];
  private window = 10; // s
  private running = false;
  private stale = false; // what is there belongs to another question
  private changed = false; // an edit: the last row is another

  constructor(
    private readonly source: FeedSource,
    private readonly history: History,
  ) {}

  // What is to be read. Columns: the signals, then three for each place.
  want(names: string[], places: Place[]): void {
    const key = JSON.stringify([names, places]);
    if (key === JSON.stringify([this.names, this.places])) return;
    [this.names, this.places] = [names, places];
    this.stale = true;
    this.start();
  }

  show(window: number): void {
    this.window = window;
    this.start();
  }

  // An edit, a seek or more steps.
  hear(timeline: Timeline): void {
    const before = this.timeline;
    this.timeline = timeline;
    if (before && before.branch !== timeline.branch) this.leave(before, timeline);
    this.changed ||= before?.edits.length !== timeline.edits.length;
    this.start();
  }

  // A frame tells of more steps than the last status.
  reached(step: number, t: number): void {
    if (!this.timeline || step <= this.timeline.end) return;
    this.timeline.end = step;
    this.timeline.end_t = t;
    this.start();
  }

  // Of the connection: everything may have changed.
  restart(): void {
    this.stale = true;
    this.start();
  }

  // Every step between two times, from the program: for files.
  async rows(names: string[], range: Range): Promise<PlotData> {
    const line = this.timeline;
    const out: PlotData = { t: [], columns: names.map(() => []) };
    if (!line) return out;
    const from = Math.max(line.begin, this.stepAt(line, range.min) - MARGIN);
    const to = Math.min(line.end, this.stepAt(line, range.max) + MARGIN);
    for (let next = from; next <= to;) {
      const block = await this.source.history({ do: "history", signals: names, from: next, to });
      if (!block || block.t.length === 0) break;
      block.t.forEach((t, r) => {
        if (t < range.min - 1e-12 || t > range.max + 1e-12) return;
        out.t.push(t);
        out.columns.forEach((column, c) => {
          const x = block.values[block.columns * r + c]!;
          column.push(Number.isFinite(x) ? x : null);
        });
      });
      next = block.first + block.t.length;
    }
    return out;
  }

  // Steps of several sizes are told apart by the rows that come.
  stepAt(line: Timeline, t: number): number {
    const span = line.end_t - line.begin_t;
    return line.begin + Math.round(span > 0 ? ((t - line.begin_t) / span) * (line.end - line.begin) : 0);
  }

  private leave(before: Timeline, now: Timeline): void {
    this.stale = true;
    const ghost = now.ghosts.find((g) => g.branch === before.branch);
    const same = this.history.rows.branch === before.branch;
    this.history.ghost = ghost && same ? this.history.rows : null;
    this.history.ghostFrom = Math.max(now.begin_t, now.from_t);
  }

  private start(): void {
    if (this.running || (this.names.length === 0 && this.places.length === 0)) return;
    this.running = true;
    void this.run().finally(() => (this.running = false));
  }

  private async run(): Promise<void> {
    while (this.timeline) {
      const asked = this.next(this.timeline);
      if (!asked) return;
      const { names, places } = this;
      const block = await this.source.history({ do: "history", signals: names, places, ...asked });
      if (!block) return;
      if (names === this.names && places === this.places) this.take(block);
      await new Promise((done) => setTimeout(done, block.first + block.t.length > block.last ? REST : 0));
    }
  }

  // The rows that are missing: those after the last, or before the first.
  private next(line: Timeline): { from: number; to?: number } | null {
    const { rows } = this.history;
    const span = line.end_t - line.begin_t;
    const perSecond = span > 0 ? (line.end - line.begin) / span : 0;
    const first = Math.max(line.begin, Math.floor(line.end - 1.1 * this.window * perSecond) - 2);
    if (this.stale || rows.branch !== line.branch || rows.count === 0) return { from: first };
    if (this.changed || rows.end <= line.end) {
      this.changed = false;
      return { from: Math.max(rows.end - 1, rows.first) };
    }
    return rows.first > first && rows.count < 15 * BLOCK
      ? { from: Math.max(first, rows.first - BLOCK), to: rows.first }
      : null;
  }

  private take(block: HistoryBlock): void {
    const columns = [...this.names, ...this.places.flatMap((_, k) => ["x", "y", "z"].map((c) => `place${k}.${c}`))];
    if (this.stale || block.branch !== this.history.rows.branch) this.history.rows = new Rows(block.branch, columns);
    this.stale = false;
    this.history.rows.take(block);
    this.onRows?.();
  }
}
