// Asks the program for the steps that curves and traces show, one request after the other.
import type { PlotData, Range } from "../common/plot";
import { type History, Rows } from "./history";
import { type Command, HistoryBlock, type Timeline } from "./protocol";

const REST = 60; // ms between two requests
const BLOCK = 20_000; // rows, as the program limits them
const MOST = 15 * BLOCK; // of earlier rows

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
    const out: PlotData = { t: [], columns: names.map(() => []) };
    let from: object = { from_t: range.min };
    for (;;) {
      const block = await this.source.history({ do: "history", signals: names, ...from, to_t: range.max });
      if (!block) return out;
      block.t.forEach((t, r) => {
        out.t.push(t);
        out.columns.forEach((column, c) => {
          const x = block.values[block.columns * r + c]!;
          column.push(Number.isFinite(x) ? x : null);
        });
      });
      if (block.t.length < BLOCK) return out;
      from = { from: block.first + block.t.length };
    }
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
  private next(line: Timeline): Record<string, number> | null {
    const { rows } = this.history;
    const since = line.end_t - 1.1 * this.window;
    if (this.stale || rows.branch !== line.branch || rows.count === 0)
      return since > line.begin_t ? { from_t: since } : { from: line.begin };
    if (this.changed || rows.end <= line.end) {
      this.changed = false;
      return { from: Math.max(rows.end - 1, rows.first) };
    }
    const missing = rows.first > line.begin && rows.t[0]! > since && rows.count < MOST;
    return missing ? { from: Math.max(line.begin, rows.first - BLOCK), to: rows.first } : null;
  }

  private take(block: HistoryBlock): void {
    const columns = [...this.names, ...this.places.flatMap((_, k) => ["x", "y", "z"].map((c) => `place${k}.${c}`))];
    if (this.stale || block.branch !== this.history.rows.branch) this.history.rows = new Rows(block.branch, columns);
    this.stale = false;
    this.history.rows.take(block);
    this.onRows?.();
  }
}
