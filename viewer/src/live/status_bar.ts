// The transport's state and the figures over the picture.
import { scientific, shown } from "../common/dom";
import { icon } from "../common/icons";
import type { History } from "./history";
import { hasOwnRule } from "./inspector";
import type { Layout } from "./layout";
import { labelText } from "./messages";
import { FAILED, type Frame, MARKED, type Model, PULL, type Status } from "./protocol";

const SLOW = 0.9; // below this share of the speed asked for, the page says so

export class StatusBar {
  pulls = 0;
  private t = -1;

  constructor(private readonly layout: Layout) {}

  model(model: Model): void {
    const { undo, redo, modelName, method } = this.layout;
    modelName.textContent = model.scene.name;
    const { formulation, integrator, coordinates } = model.plan;
    method.textContent = [formulation, hasOwnRule(model) ? "" : integrator, coordinates].filter(Boolean).join(" · ");
    undo.disabled = !model.undo;
    redo.disabled = !model.redo;
    undo.title = model.undo ? `Undo: ${labelText(model.undo)} (Ctrl Z)` : "Nothing to undo";
    redo.title = model.redo ? `Redo: ${labelText(model.redo)} (Ctrl Y)` : "Nothing to redo";
  }

  status(status: Status): void {
    const { play, speed, clients } = this.layout;
    play.replaceChildren(icon(status.paused ? "play" : "pause"));
    play.setAttribute("aria-label", status.paused ? "Run" : "Pause");
    if (document.activeElement !== speed) showSpeed(speed, status.speed);
    clients.textContent = status.clients > 1 ? `${status.clients} pages` : "";
  }

  frame(frame: Frame, history: History, legend: string): void {
    const { clock, energy, balance, violation, slow, legendBox, release } = this.layout;
    this.t = frame.t;
    this.pulls = frame.pulls.length / PULL;
    clock.textContent = `${frame.t.toFixed(3)} s`;
    energy.textContent = `${shown(history.latest("energy.kinetic") + history.latest("energy.potential"))} J`;
    balance.textContent = `${shown(history.latest("energy.balance"))} J`;
    violation.textContent = scientific(history.latest("violation.position"));
    legendBox.textContent = legend;
    const late = (frame.flags & 1) === 0 && frame.ratio > 0 && frame.ratio < SLOW;
    slow.hidden = !late && (frame.flags & (MARKED | FAILED)) === 0;
    slow.textContent =
      frame.flags & FAILED
        ? "step failed: paused"
        : late
          ? `slower than asked: ${Math.round(100 * frame.ratio)} %`
          : "marked step";
    slow.classList.toggle("bad", (frame.flags & FAILED) !== 0);
    release.hidden = this.pulls === 0;
    document.body.dataset["t"] = String(frame.t);
  }

  get time(): number {
    return this.t;
  }
}

function showSpeed(select: HTMLSelectElement, value: number): void {
  if (![...select.options].some((o) => Number(o.value) === value))
    select.append(new Option(`${value} ×`, String(value)));
  select.value = String([...select.options].map((o) => Number(o.value)).find((x) => x === value));
}
