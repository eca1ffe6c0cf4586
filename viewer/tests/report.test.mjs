// The report of a run, opened from disk as a person does: the mechanism is drawn, the replay moves it, the curves are
// there, and nothing is asked of the network.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { build } from "esbuild";
import { launch, noChromium, openPage, seek, shot } from "./browser.mjs";
import { colours, pixels } from "./pixels.mjs";

const program = process.env.TRAMMEL ?? "build/bin/trammel";
const models = process.env.MODELS ?? "models";
const STOPS = "#2b8a3e"; // the colour of what drives and stops
const skip = noChromium;
let browser;

before(async () => {
  if (!skip) browser = await launch();
});
after(() => browser?.close());

function report(model, ...options) {
  const folder = mkdtempSync(join(tmpdir(), "trammel-report-"));
  execFileSync(program, ["run", resolve(models, model), "--out", folder, "--quiet", ...options], {
    stdio: ["ignore", "ignore", "ignore"],
  });
  return `file://${folder}/report.html`;
}

async function open(model, options = {}) {
  const page = await openPage(browser, options);
  const requests = [];
  page.on("request", (request) => requests.push(request.url()));
  const url = report(model);
  await page.goto(url);
  await page.locator(".plot canvas").first().waitFor();
  // blobs and data are the page's own
  assert.deepEqual(
    requests.filter((r) => r !== url && !/^(data|blob):/.test(r)),
    [],
  );
  return page;
}

// How many pixels have each colour, once each has some: a busy machine draws late.
async function drawn(page, stage, wanted, least) {
  let seen = {};
  for (let i = 0; i < 100; ++i) {
    seen = colours(await pixels(page, stage), wanted);
    if (Object.values(seen).every((count) => count > least)) break;
  }
  for (const [colour, count] of Object.entries(seen)) assert.ok(count > least, `${colour} covers ${count} pixels`);
}

// Pixels whose red differs clearly.
function difference(a, b) {
  let count = 0;
  for (let i = 0; i < a.data.length; i += 4) if (Math.abs(a.data[i] - b.data[i]) > 30) ++count;
  return count;
}

test("a planar mechanism is drawn, and the replay moves it", { skip, timeout: 180_000 }, async () => {
  const page = await open("double-four-bar.yaml");
  const stage = page.locator(".replay .stage");
  // Each of the five links has a colour of its own, and covers more than a speck.
  await drawn(page, stage, ["#4f83c9", "#e09f3e", "#3a9d8c", "#cf5f54", "#8a76c8"], 200);
  const first = await pixels(page, stage);
  await seek(page, 0.06);
  // the picture follows as soon as the machine can draw it
  let changed = 0;
  for (let i = 0; i < 100 && changed < 1500; ++i) changed = difference(first, await pixels(page, stage));
  assert.ok(changed >= 1500, `${changed} pixels differ`);
  await page.getByTitle("Reaction forces").click();
  await page.getByTitle("Names").click();
  await seek(page, 0.1);
  assert.equal(await page.locator(".label").count(), 11); // five bodies and six points that are joints
  await shot(page, "report-double-four-bar", { fullPage: true });
  assert.deepEqual(page.problems, []);
  await page.close();
});

// Pixels of a colour on the outermost rows and columns.
function atTheEdge(image, colour) {
  const { width, height, data } = image;
  const line = (from, step, count) => ({
    width: count,
    height: 1,
    data: Buffer.concat(Array.from({ length: count }, (_, i) => data.subarray(4 * (from + i * step)).subarray(0, 4))),
  });
  const edges = [
    line(0, 1, width),
    line(width * (height - 1), 1, width),
    line(0, width, height),
    line(width - 1, width, height),
  ];
  return edges.reduce((sum, edge) => sum + colours(edge, [colour])[colour], 0);
}

test("the whole motion is in the picture, on a phone too", { skip, timeout: 180_000 }, async () => {
  const page = await open("end-stops.yaml", { viewport: { width: 390, height: 780 } });
  const stage = page.locator(".replay .stage");
  for (const share of [0, 0.05, 0.13, 0.19, 0.26]) {
    await seek(page, share);
    assert.equal(atTheEdge(await pixels(page, stage), "#4f83c9"), 0, `at ${share} of the motion`);
  }
  assert.ok((await page.getByRole("slider", { name: "Time" }).boundingBox()).width > 300);
  await shot(page, "report-phone-motion");
  await page.close();
});

test("play runs to the end and pauses", { skip, timeout: 180_000 }, async () => {
  const page = await open("door.yaml", { colorScheme: "dark" });
  await page.locator(".transport select").selectOption("10");
  await page.getByTitle("Play or pause").click();
  await page.waitForFunction(() => document.querySelector(".clock").textContent === "2.000 s");
  await shot(page, "report-door-dark", { fullPage: true });
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("a motion of any duration is replayed in a few seconds", { skip, timeout: 180_000 }, async () => {
  // 50 ms of Andrews' mechanism at a hundredth of the speed: 5 s
  const page = await open("andrews.yaml");
  assert.equal(await page.locator(".transport select").inputValue(), "0.01");
  await page.getByTitle("Play or pause").click();
  await page.waitForFunction(() => Number.parseFloat(document.querySelector(".clock").textContent) > 0);
  await page.getByTitle("Play or pause").click();
  const shown = Number.parseFloat(await page.locator(".clock").innerText());
  assert.ok(shown < 0.05, `${shown} s: not at its end yet`);
  await page.close();
  // in real time from 3 s to 20 s; else slower or faster, as far as the choice of speeds goes
  const out = join(mkdtempSync(join(tmpdir(), "trammel-speed-")), "speed.mjs");
  const contents = 'export { suitableSpeed } from "./src/report/speed";';
  await build({ stdin: { contents, resolveDir: "." }, bundle: true, format: "esm", outfile: out, logLevel: "error" });
  const { suitableSpeed } = await import(out);
  for (const duration of [3, 7, 20]) assert.equal(suitableSpeed(duration), 1);
  for (const duration of [1e-3, 0.05, 0.7, 2.9, 21, 100, 1500]) {
    const takes = duration / suitableSpeed(duration);
    assert.ok(takes >= 3 && takes <= 20, `${duration} s take ${takes} s`);
  }
});

test("curves show what the run wrote", { skip, timeout: 180_000 }, async () => {
  const page = await open("double-four-bar.yaml");
  assert.ok((await page.locator(".plot").count()) >= 5);
  const plot = page.locator(".plot", { has: page.locator('[title="energy.kinetic"]') });
  const image = await pixels(page, plot.locator("canvas"));
  const seen = colours(image, ["#1f6fd1", "#d9730d"]);
  for (const [colour, count] of Object.entries(seen)) assert.ok(count > 100, `${colour} covers ${count} pixels`);
  await plot.hover();
  const [saved] = await Promise.all([page.waitForEvent("download"), plot.getByTitle("Save as CSV").click()]);
  const text = await (await import("node:fs/promises")).readFile(await saved.path(), "utf8");
  const [header, first] = text.split("\n");
  assert.equal(header, "t [s],energy.kinetic [J],energy.potential [J]");
  // B0 starts at 1 m/s: the cranks, uniform bars, carry a sixth of their mass there, the couplers all of it.
  assert.equal(Number(first.split(",")[1]).toFixed(4), (0.5 * (3 / 3 + 2)).toFixed(4));
  assert.match(await page.locator("pre").innerText(), /crank0: {3}\{rod/);
  await page.close();
});

test("columns without a value are named, and break no plot", { skip, timeout: 180_000 }, async () => {
  const file = join(mkdtempSync(join(tmpdir(), "trammel-report-")), "missing.yaml");
  writeFileSync(
    file,
    `trammel: 1
plane: xy
gravity: [0, -9.81]
points: {O: {at: [0, 0], on: ground}, A: [1, 0]}
bodies: {rod: {rod: [O, A], mass: 1}}
outputs: {columns: {never: sqrt(-1 - t), constant: 2, half: sqrt(0.495 - t)}}
simulate: {duration: 1 s, step: 10 ms}
`,
  );
  const page = await open(file);
  assert.match(
    await page.locator("body").innerText(),
    /Missing values\s+half\s+not a finite number in 51 rows from t = 0.5 s, and 1 more/i,
  );
  await page.locator(".plot", { has: page.locator('[title="never"]') }).waitFor();
  assert.deepEqual(page.problems, []);
  await page.close();
});

test(
  "the time until which figures are known is marked in the motion and in every curve",
  { skip, timeout: 180_000 },
  async () => {
    // By steps of fixed length the phase is soon known no better than the accuracy.
    const file = join(mkdtempSync(join(tmpdir(), "trammel-report-")), "lost.yaml");
    writeFileSync(
      file,
      `trammel: 1
plane: xy
gravity: [0, -9.81]
points: {O: {at: [0, 0], on: ground}, A: [1, 0]}
bodies: {rod: {rod: [O, A], mass: 1}}
simulate: {duration: 10 s, step: 10 ms, formulation: augmented-lagrangian-index3, integrator: trapezoidal}
`,
    );
    const page = await open(file);
    const [, head, of] = (await page.locator(".figures").innerText()).match(
      /Known until\s+([\d.]+) s\s+([a-z ]+), to/i,
    );
    const until = Number(head);
    assert.ok(until > 0 && until < 9, `${until} s`);
    const mark = page.locator(".timeline .marks i");
    assert.equal(await mark.count(), 1);
    const [, kind, t] = (await mark.getAttribute("title")).match(/^([a-z ]+) known until here, ([\d.]+) s$/);
    assert.equal(kind, of);
    assert.ok(Math.abs(Number(t) - until) < 1e-2, `${t} s in the timeline, ${until} s at the head`);
    assert.ok(Math.abs(Number.parseFloat(await mark.evaluate((e) => e.style.left)) - 10 * until) < 1);
    await shot(page, "report-known-until", { fullPage: true });
    assert.deepEqual(page.problems, []);
    await page.close();
  },
);

test("a model in its own coordinates has curves only", { skip, timeout: 180_000 }, async () => {
  const page = await open("bayo-pendulum.yaml");
  assert.equal(await page.locator(".replay").count(), 0);
  assert.ok((await page.locator(".plot").count()) >= 2);
  assert.deepEqual(page.problems, []);
  await page.close();
});

for (const model of [
  "spatial-slider-crank",
  "bricard",
  "rolling-disk",
  "gear-train",
  "flyball-governor",
  "andrews",
  "end-stops",
]) {
  test(`${model} is drawn`, { skip, timeout: 180_000 }, async () => {
    const page = await open(`${model}.yaml`, { viewport: { width: 390, height: 780 } });
    await seek(page, 0.2);
    const stops = model === "end-stops" ? [STOPS] : [];
    await drawn(page, page.locator(".replay .stage"), ["#4f83c9", ...stops], 60);
    await shot(page, `report-${model}-phone`);
    assert.deepEqual(page.problems, []);
    await page.close();
  });
}

function analysis(...words) {
  const file = join(mkdtempSync(join(tmpdir(), "trammel-report-")), "report.html");
  execFileSync(program, ["solve", ...words, "--report", file], { stdio: "ignore" });
  return `file://${file}`;
}

test("a mechanism swings in the mode that is chosen", { skip, timeout: 180_000 }, async () => {
  const page = await openPage(browser, {});
  await page.goto(analysis("modes", resolve(models, "double-pendulum.yaml")));
  const stage = page.locator(".replay .stage");
  await drawn(page, stage, ["#4f83c9", "#e09f3e"], 200);
  assert.equal(await page.locator("select.mode option").count(), 2);
  const differs = async (first) => {
    let changed = 0;
    for (let i = 0; i < 100 && changed < 300; ++i) changed = difference(first, await pixels(page, stage));
    assert.ok(changed >= 300, `${changed} pixels differ`);
  };
  const shape = await pixels(page, stage);
  await page.locator("select.mode").selectOption("1");
  await differs(shape);
  const first = await pixels(page, stage);
  await seek(page, 0.5); // half a period later it is on the other side
  await differs(first);
  const half = await pixels(page, stage);
  await page.locator("input.amplitude").fill("0");
  await differs(half);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test(
  "the page of an analysis has its plots, with names and units of the axes",
  { skip, timeout: 180_000 },
  async () => {
    const page = await openPage(browser, {});
    await page.goto(analysis("workspace", resolve(models, "double-pendulum.yaml"), "--samples", "20000"));
    const words = await page.locator("svg.plot").first().textContent();
    for (const label of ["x [m]", "y [m]", "boundary"]) assert.ok(words.includes(label), words);
    assert.match(await page.locator(".figures").innerText(), /12\.566 m²/);
    await page.goto(analysis("kinematics", resolve(models, "driven-slider-crank.yaml")));
    await page.locator(".plots .plot canvas").first().waitFor();
    assert.deepEqual(page.problems, []);
    await page.close();
  },
);
