// What the page saves: the model, its journal, a page to share, a picture. Files are called after the model's.
import { download, textBlob } from "../common/dom";
import { withView } from "../common/shared";
import type { App } from "./app";

const PICTURE_WIDTH = 3840; // pixels of a saved picture: 4K

// The model file's name without its ending.
export function fileStem(app: App): string {
  return (app.model?.path.split("/").pop() ?? "model").replace(/\.ya?ml$/, "");
}

// As it moves now, or as at the start.
export async function saveText(app: App, now: boolean): Promise<void> {
  const reply = await app.perform({ do: "save", now });
  if (!reply.ok || !reply.yaml) return;
  const name = `${fileStem(app)}${now ? "-now" : ""}.yaml`;
  download(name, textBlob(reply.yaml, "text/yaml"));
  app.say("info", `Saved ${name}: the model ${now ? "as it stands and moves now" : "as at the start"}.`);
}

// One file that shows the model and its motion anywhere.
export async function saveReport(app: App): Promise<void> {
  app.say("info", "The model is run for the page …");
  const reply = await app.perform({ do: "report" });
  if (!reply.ok || !reply.html) return;
  const name = `${fileStem(app)}.html`;
  download(name, textBlob(withView(reply.html, app.sharedView()), "text/html"));
  app.say("info", `Saved ${name}: open it in any browser.`);
}

export async function saveJournal(app: App): Promise<void> {
  const reply = await app.perform({ do: "journal" });
  if (!reply.ok) return;
  const text = typeof reply.journal === "string" ? reply.journal : JSON.stringify(reply.journal, null, 1);
  download(`${fileStem(app)}.jsonl`, textBlob(text, "application/json"));
}

export async function savePicture(app: App): Promise<void> {
  const image = await app.stage.image(PICTURE_WIDTH);
  if (image) download(`${fileStem(app)}.png`, image);
}
