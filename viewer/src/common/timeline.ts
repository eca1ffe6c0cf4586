// The timeline under a picture: a line of time with a handle, what was done on it, and motions that were left.
import { h } from "./dom";

export interface TimelineMark {
  t: number;
  text: string;
}

export interface TimelineGhost {
  from: number;
  to: number;
  text: string;
  choose: () => void;
}

const PAGE = 20; // parts of the line that PageUp and PageDown go by

export class TimelineBar {
  readonly element: HTMLElement;
  private readonly played = h("div.played");
  private readonly handle = h("div.handle");
  private readonly marks = h("div.marks");
  private readonly ghosts = h("div.ghosts");
  private readonly track: HTMLElement;
  private min = 0;
  private max = 1;
  private t = 0;
  private dragging = false;

  // step: how far an arrow key goes; s.
  constructor(
    label: string,
    private readonly onSeek: (t: number) => void,
    private readonly onGrip: () => void = () => {},
    public step = 0,
    private readonly text: (t: number) => string = (t) => `${t.toFixed(3)} s`,
  ) {
    this.track = h(
      "div.track",
      { role: "slider", tabindex: 0, "aria-label": label, "aria-orientation": "horizontal" },
      h("div.line"),
      this.played,
      this.marks,
      this.handle,
    );
    this.element = h("div.timeline", {}, this.ghosts, this.track);
    this.track.addEventListener("pointerdown", (event) => this.grip(event));
    this.track.addEventListener("pointermove", (event) => this.dragging && this.go(this.timeAt(event.clientX)));
    for (const end of ["pointerup", "pointercancel"] as const)
      this.track.addEventListener(end, () => (this.dragging = false));
    this.track.addEventListener("keydown", (event) => this.key(event));
  }

  get isDragged(): boolean {
    return this.dragging;
  }

  show(min: number, max: number, t: number): void {
    [this.min, this.max] = [min, Math.max(max, min)];
    if (!this.dragging) this.t = t;
    this.place();
  }

  setMarks(marks: TimelineMark[]): void {
    this.marks.replaceChildren(
      ...marks.map(({ t, text }) => {
        const mark = h("i", { title: `${text}, ${this.text(t)}` });
        mark.style.left = this.share(t);
        return mark;
      }),
    );
  }

  setGhosts(ghosts: TimelineGhost[]): void {
    this.ghosts.replaceChildren(
      ...ghosts.map(({ from, to, text, choose }) => {
        const bar = h("button.ghost", { title: text, "aria-label": text, onclick: choose });
        bar.style.left = this.share(from);
        bar.style.width = `max(24px, calc(${this.share(to)} - ${this.share(from)}))`;
        return bar;
      }),
    );
  }

  private place(): void {
    this.played.style.width = this.share(this.t);
    this.handle.style.left = this.share(this.t);
    const { track } = this;
    track.setAttribute("aria-valuemin", String(this.min));
    track.setAttribute("aria-valuemax", String(this.max));
    track.setAttribute("aria-valuenow", String(this.t));
    track.setAttribute("aria-valuetext", this.text(this.t));
  }

  private share(t: number): string {
    const span = this.max - this.min;
    return `${span > 0 ? (100 * Math.min(Math.max(t - this.min, 0), span)) / span : 0}%`;
  }

  private timeAt(x: number): number {
    const bounds = this.track.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (x - bounds.left) / Math.max(bounds.width, 1)));
    return this.min + share * (this.max - this.min);
  }

  private grip(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.track.setPointerCapture(event.pointerId);
    this.track.focus();
    event.preventDefault();
    this.dragging = true;
    this.onGrip();
    this.go(this.timeAt(event.clientX));
  }

  private go(t: number): void {
    this.t = Math.min(this.max, Math.max(this.min, t));
    this.place();
    this.onSeek(this.t);
  }

  private key(event: KeyboardEvent): void {
    const span = this.max - this.min;
    const step = this.step || span / 100;
    const ways: Record<string, number> = {
      ArrowLeft: this.t - (event.shiftKey ? 10 : 1) * step,
      ArrowDown: this.t - (event.shiftKey ? 10 : 1) * step,
      ArrowRight: this.t + (event.shiftKey ? 10 : 1) * step,
      ArrowUp: this.t + (event.shiftKey ? 10 : 1) * step,
      PageDown: this.t - span / PAGE,
      PageUp: this.t + span / PAGE,
      Home: this.min,
      End: this.max,
    };
    const to = ways[event.key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    this.onGrip();
    this.go(to);
  }
}
