// Which times the plots show: the last seconds of a run that goes on, else those around the moment that is shown.
import type { Range } from "../common/plot";
import type { Timeline } from "./protocol";

export class TimeWindow {
  seconds = 10; // 0: everything
  private begin = 0;
  private end = 0; // of the branch
  private until = 0; // of what is shown
  private t = 0;

  get length(): number {
    return this.seconds > 0 ? this.seconds : Infinity;
  }

  hear({ begin_t, end_t }: Timeline): void {
    [this.begin, this.end] = [begin_t, end_t];
    if (this.until > end_t) this.until = end_t;
  }

  at(t: number): void {
    this.t = t;
    this.end = Math.max(this.end, t);
    if (t >= this.end) this.until = t;
    else if (t > this.until || t < this.until - this.length) this.until = Math.min(this.end, t + this.length / 2);
  }

  // The moment that is shown.
  get now(): number {
    return this.t;
  }

  range(): Range {
    if (this.seconds === 0) return { min: this.begin, max: this.end };
    return { min: Math.max(this.begin, this.until - this.seconds), max: this.until };
  }
}
