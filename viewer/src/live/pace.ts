// Asks the server for as many frames as this machine draws: more would be decoded for nothing.
import type { Command } from "./protocol";

const INTERVAL = 2000; // ms
const [SLOWEST, FASTEST] = [10, 60]; // frames a second

export class Pace {
  private frames = 0;
  private drawnBefore = 0;
  private rate = FASTEST;

  constructor(drawn: () => number, send: (command: Command) => void) {
    setInterval(() => {
      const drawnNow = drawn();
      const rate = this.next(drawnNow - this.drawnBefore);
      this.drawnBefore = drawnNow;
      this.frames = 0;
      if (rate === this.rate || document.hidden) return;
      this.rate = rate;
      send({ do: "frames", rate });
    }, INTERVAL);
  }

  frame(): void {
    ++this.frames;
  }

  // A new connection starts with the fastest.
  restart(): void {
    this.rate = FASTEST;
  }

  private next(drawn: number): number {
    if (this.frames > 1.4 * drawn + 4) return Math.max(SLOWEST, Math.ceil((1.2 * drawn * 1000) / INTERVAL));
    return drawn > 0 && this.frames < 1.1 * drawn + 1 ? Math.min(FASTEST, Math.ceil(1.5 * this.rate)) : this.rate;
  }
}
