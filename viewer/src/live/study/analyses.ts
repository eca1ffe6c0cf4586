// What `trammel solve` finds: positions and places are drawn through the mechanism; the page of each can be saved.
import { download, h, textBlob } from "../../common/dom";
import { POSE } from "../../common/scene";
import { colour } from "../../common/theme";
import type { App } from "../app";
import type { Model, Reply } from "../protocol";
import type { Ghosts } from "./ghosts";

const GHOSTS = 8; // positions that are drawn at once
const ANALYSES = [
  ["positions", "Assembly branches"],
  ["equilibria", "Equilibria"],
  ["modes", "Vibration modes"],
  ["workspace", "Workspace"],
] as const;

export function analyses(app: App, ghosts: Ghosts, model: Model): HTMLElement[] {
  const found = h("div.study-plot");
  const analyse = async (what: string) => {
    ghosts.clear();
    found.replaceChildren(h("p.faint", {}, "Computing …"));
    const reply = await app.send({ do: "analyse", what });
    if (!found.isConnected) return; // another study is shown meanwhile
    if (!reply.ok) {
      found.replaceChildren(h("p.bad", {}, reply.error ?? "Refused."));
      return;
    }
    draw(ghosts, model, reply);
    app.stage.widen(ghosts.extent());
    const save = () => download(`${what}.html`, textBlob(reply.html ?? "", "text/html"));
    found.replaceChildren(
      h("pre", { id: "study-text" }, reply.text ?? ""),
      h("div.buttons", {}, h("button", { onclick: save }, "Save its page")),
    );
  };
  const buttons = ANALYSES.map(([what, label]) => h("button", { onclick: () => void analyse(what) }, label));
  return [h("div.study-choices", {}, ...buttons), found];
}

function draw(ghosts: Ghosts, model: Model, { poses = [], places }: Reply): void {
  const size = POSE * model.scene.bodies.length;
  for (let k = 0; size > 0 && k < poses.length && ghosts.count < GHOSTS; k += size)
    ghosts.add(model.scene, [0], poses.slice(k, k + size));
  ghosts.follow(0);
  if (places) ghosts.addDots(places, colour("accent"));
}
