// The timeline of the run: drag back, play from there, edit there; branches that were left are ghosts.
import { h } from "../common/dom";
import { TimelineBar } from "../common/timeline";
import type { App } from "./app";
import { labelText } from "./messages";
import type { Frame, Status, Timeline } from "./protocol";

export class TimeControl {
  readonly element: HTMLElement;
  readonly bar: TimelineBar;
  private readonly begin = h("output.edge", {});
  private readonly end = h("output.edge", {});
  private readonly anew: HTMLButtonElement;
  private line: Timeline | null = null;
  private t = 0;
  private wanted: number | null = null;
  private asking = false;

  constructor(private readonly app: App) {
    this.bar = new TimelineBar(
      "Time",
      (t) => void this.seek(t),
      () => this.hold(),
    );
    this.anew = h(
      "button.anew",
      {
        hidden: true,
        title: "Go on from here without what was done later; the old motion stays as a ghost",
        onclick: () => void app.perform({ do: "branch" }),
      },
      "New branch",
    );
    this.element = h("div.time", {}, this.begin, this.bar.element, this.end, this.anew);
  }

  status({ timeline }: Status): void {
    if (!timeline) return;
    const line = (this.line = timeline);
    this.bar.step = line.end > line.begin ? (line.end_t - line.begin_t) / (line.end - line.begin) : 0;
    this.show();
    this.bar.setMarks(line.edits.map(({ t, label }) => ({ t, text: labelText(label) })));
    this.bar.setGhosts(
      line.ghosts.map((ghost) => ({
        from: ghost.from_t,
        to: ghost.end_t,
        text: `Branch ${ghost.branch}, left at ${line.from_t.toFixed(3)} s: go on with it`,
        choose: () => void this.app.perform({ do: "branch", branch: ghost.branch }),
      })),
    );
  }

  frame(frame: Frame): void {
    this.t = frame.t;
    if (this.line && frame.step > this.line.end) [this.line.end, this.line.end_t] = [frame.step, frame.t];
    this.show();
  }

  // Steps from where it is, either way.
  async stepBy(count: number): Promise<void> {
    const step = (this.app.status?.step ?? 0) + count;
    this.hold();
    await this.app.perform({ do: "seek", step: Math.max(step, this.line?.begin ?? 0) });
  }

  get behind(): boolean {
    return this.line !== null && this.t < this.line.end_t - 1e-12;
  }

  private show(): void {
    const { line } = this;
    if (!line) return;
    this.bar.show(line.begin_t, line.end_t, this.t);
    this.begin.textContent = `${Number(line.begin_t.toPrecision(4))} s`;
    this.end.textContent = `${line.end_t.toFixed(2)} s`;
    this.end.title = `${Math.round(line.bytes / 2 ** 20)} of ${Math.round(line.most / 2 ** 20)} MB for steps that can be gone back to`;
    this.anew.hidden = !this.behind;
  }

  // Whoever takes hold of the handle wants to look.
  private hold(): void {
    if (this.app.status && !this.app.status.paused) void this.app.send({ do: "pause" });
  }

  // The newest place; one request at a time.
  private async seek(t: number): Promise<void> {
    this.wanted = t;
    if (this.asking) return;
    this.asking = true;
    while (this.wanted !== null) {
      const next: number = this.wanted;
      this.wanted = null;
      const reply = await this.app.send({ do: "seek", t: next });
      if (!reply.ok) this.app.say("error", reply.error ?? "Refused.");
    }
    this.asking = false;
  }
}
