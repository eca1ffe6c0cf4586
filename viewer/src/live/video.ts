// A video of any stretch of time, as WebM: the poses come from the program, the picture is drawn and recorded.
import { download, h } from "../common/dom";
import type { App } from "./app";
import { buttons, openDialog } from "./dialogs";
import type { HistoryBlock } from "./protocol";
import { fileStem } from "./saving";

const RATE = 30; // pictures a second, at least as many as rows are read for
const LAST = 250; // ms
const TYPES = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"];

export function recordVideo(app: App): void {
  const line = app.status?.timeline;
  if (!line || !app.picture) return;
  const seconds = (value: number, label: string) =>
    h("input", { type: "text", inputmode: "decimal", value: Number(value.toPrecision(6)), "aria-label": label });
  const range = app.shown.range();
  const from = seconds(range.min, "From");
  const to = seconds(range.max, "To");
  const speed = seconds(app.status?.speed ?? 1, "Speed");
  const progress = h("progress", { max: 1, value: 0, hidden: true, "aria-label": "Recorded" });
  const field = (label: string, input: HTMLElement, unit: string) =>
    h("label.field", {}, h("span", {}, label), input, h("small", {}, unit));
  const start = async () => {
    const [a, b, v] = [from, to, speed].map((input) => Number(input.value.replace(",", "."))) as [
      number,
      number,
      number,
    ];
    if (!(b > a) || !(v > 0)) return app.say("error", "Give a stretch of time that ends after it begins, and a speed.");
    progress.hidden = false;
    const blob = await record(app, a, b, v, (share) => (progress.value = share));
    dialog.close();
    if (!blob)
      return app.say(
        "error",
        "The video could not be recorded: this browser cannot write WebM, or the connection was lost.",
      );
    download(`${fileStem(app)}.webm`, blob);
    app.say("info", `Saved ${fileStem(app)}.webm: ${((b - a) / v).toPrecision(3)} s of video.`);
  };
  const dialog = openDialog(
    "Video",
    field("from", from, "s"),
    field("to", to, "s"),
    field("speed", speed, "×"),
    progress,
    buttons(() => dialog.close(), start, "Record"),
  );
}

// Real time passes while it is recorded: a browser stamps pictures by its clock.
async function record(
  app: App,
  from: number,
  to: number,
  speed: number,
  onProgress: (share: number) => void,
): Promise<Blob | null> {
  const type = TYPES.find((t) => MediaRecorder.isTypeSupported(t));
  const rows = await poses(app, from, to, (speed / RATE) * 0.999);
  if (!type || !rows) return null;
  const stream = app.stage.canvas.captureStream(0);
  const track = stream.getVideoTracks()[0] as CanvasCaptureMediaStreamTrack;
  const recorder = new MediaRecorder(stream, { mimeType: type, videoBitsPerSecond: 12e6 });
  const parts: Blob[] = [];
  recorder.ondataavailable = (event) => parts.push(event.data);
  const started = new Promise((done) => (recorder.onstart = done));
  const ended = new Promise((done) => (recorder.onstop = done));
  const show = (t: number) => {
    app.picture?.view.update(rows.at(t));
    app.stage.draw();
    track.requestFrame();
  };
  app.replaying = true;
  recorder.start();
  show(from);
  await started;
  const begin = performance.now();
  const length = (to - from) / speed;
  await new Promise<void>((done) => {
    const next = () => {
      const passed = (performance.now() - begin) / 1000;
      show(from + Math.min(passed, length) * speed);
      onProgress(Math.min(1, passed / length));
      if (passed < length) requestAnimationFrame(next);
      else done();
    };
    next();
  });
  await new Promise((done) => setTimeout(done, LAST)); // the last pictures reach the encoder
  recorder.stop();
  await ended;
  app.replaying = false;
  return new Blob(parts, { type: "video/webm" });
}

// Poses at least every `every` seconds.
async function poses(
  app: App,
  from: number,
  to: number,
  every: number,
): Promise<{ at(t: number): Float32Array } | null> {
  const line = app.status!.timeline!;
  const step = line.end > line.begin ? (line.end_t - line.begin_t) / (line.end - line.begin) : every;
  const stride = Math.max(1, Math.floor(every / step));
  const blocks: HistoryBlock[] = [];
  let start: object = { from_t: from };
  const count = app.model!.scene.bodies.length;
  for (;;) {
    const block = await app.past({ do: "history", poses: true, every: stride, ...start, to_t: to });
    if (!block || block.bodies !== count) break;
    blocks.push(block);
    if (block.t.length < 20_000) break;
    start = { from: block.first + stride * block.t.length };
  }
  if (blocks.length === 0) return null;
  return {
    at(t: number): Float32Array {
      const block = blocks.find((b) => b.t[b.t.length - 1]! >= t) ?? blocks[blocks.length - 1]!;
      let row = block.t.findIndex((x) => x >= t);
      if (row < 0) row = block.t.length - 1;
      return block.poses.subarray(7 * count * row, 7 * count * (row + 1));
    },
  };
}
