// The length of a selected link, beside it: a click edits it.
import { Vector3 } from "three";
import { h } from "../../common/dom";
import type { App } from "../app";
import { decimal } from "./changes";
import { metres } from "./typed";

export class Dimension {
  private readonly button = h("button.dimension", {
    hidden: true,
    title: "Its length: click to change it",
    onclick: () => this.edit(),
  });

  constructor(
    private readonly app: App,
    holder: HTMLElement,
  ) {
    holder.append(this.button);
  }

  // Where the selected link is now.
  update(): void {
    const rod = this.rod();
    this.button.hidden = !rod || !this.app.status?.paused;
    if (!rod || this.button.hidden) return;
    const bounds = (this.button.offsetParent ?? this.button).getBoundingClientRect();
    const p = this.app.stage.project(this.middle(rod));
    this.button.textContent = `${decimal(rod.length)} m`;
    this.button.style.transform = `translate(${p.x - bounds.left + 12}px, ${p.y - bounds.top + 10}px)`;
  }

  private rod() {
    const { selected, model } = this.app;
    const body = selected?.kind === "body" ? model?.scene.bodies.find((b) => b.name === selected.name) : undefined;
    return body?.kind === "rod" ? body : null;
  }

  private middle(rod: { name: string; length: number }): Vector3 {
    return this.app.picture!.view.place({ body: rod.name, at: [rod.length / 2, 0, 0] }, new Vector3());
  }

  private edit(): void {
    const rod = this.rod();
    if (!rod) return;
    this.app.drawing.edit(this.middle(rod), "length", "m", decimal(rod.length), (text) => {
      const length = metres(text);
      if (!(length > 0)) this.app.say("error", `'${text}' is not a length: write 0.3, 30 cm or 12 in.`);
      else if (length !== rod.length)
        void this.app.perform({
          do: "change-text",
          changes: [{ path: ["bodies", rod.name, "length"], value: decimal(length) }],
          name: rod.name,
        });
    });
  }
}
