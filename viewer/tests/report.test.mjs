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
const PENDULUM = `trammel: 1
plane: xy
gravity: [0, -9.81]
points: {O: {at: [0, 0], on: ground}, A: [1, 0]}
bodies: {rod: {rod: [O, A], mass: 1}}
simulate: {duration: 1 s}
`;
const skip = noChromium;
let browser;

before(async () => {
  if (!skip) browser = await launch();
});
after(() => browser?.close());

// What one of the page's sources exports, as this program can use it.
async function sourceOf(path, name) {
  const out = join(mkdtempSync(join(tmpdir(), "trammel-source-")), "source.mjs");
  const contents = `export { ${name} } from "./src/${path}";`;
  await build({ stdin: { contents, resolveDir: "." }, bundle: true, format: "esm", outfile: out, logLevel: "error" });
  return (await import(out))[name];
}

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

test("the legs of a platform are in the picture down to the ground", { skip, timeout: 180_000 }, async () => {
  const page = await open("three-rpr.yaml");
  const picture = await pixels(page, page.locator(".replay .stage"));
  assert.ok(colours(picture, [STOPS])[STOPS] > 100);
  assert.equal(atTheEdge(picture, STOPS), 0);
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
  const suitableSpeed = await sourceOf("report/speed", "suitableSpeed");
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

test("figures have the digits that their errors leave", async () => {
  const known = await sourceOf("common/dom", "known");
  for (const [value, error, text] of [
    [12.345, 0.05, "12.3"],
    [12.345, 0.5, "12"],
    [12.345, 5, "10"],
    [12.345, 1e-9, "12.35"], // four at most
    [-12.345, 0.05, "-12.3"],
    [0.012345, 5e-5, "0.0123"],
    [1234567, 5e3, "1.23·10⁶"],
    [1234567, 3e5, "1·10⁶"],
    [1.2345e-6, 4e-7, "1·10⁻⁶"],
    [99999, 4e4, "1·10⁵"],
    [12.345, 0, "12.35"], // no error is known
    [12.345, NaN, "12.35"],
    [0, 0.05, "0"],
    [NaN, 0.05, "–"],
  ])
    assert.equal(known(value, error), text, `${value} ± ${error}`);
});

// Its values after "Peak reaction", as a person reads them.
const peak = async (page) => (await page.locator(".figures").innerText()).match(/Peak reaction\s+([^\n]+)/i)[1];

test("the peak reaction is told to the digits that are known", { skip, timeout: 180_000 }, async () => {
  // A rod of 1 kg that falls from the horizontal presses its pin with 5/2 of its weight, 24.525 N, at the bottom.
  const file = join(mkdtempSync(join(tmpdir(), "trammel-report-")), "pendulum.yaml");
  writeFileSync(file, PENDULUM);
  const page = await openPage(browser);
  await page.goto(report(file, "--tolerance", "1e-9", "--set", "outputs.interval=1e-4"));
  assert.equal(await peak(page), "24.52 N");
  // By steps of 20 ms it errs by a tenth of a newton or more, and has three digits at most.
  await page.goto(report(file, "--step", "0.02"));
  assert.match(await peak(page), /^2[45](\.\d)? N$/);
  await page.goto(report(file, "--step", "0.02", "--verify", "off"));
  assert.match(await peak(page), /^2[45]\.\d\d N$/);
  await page.close();
});

test("a peak reaction that lacks the force of gears says so", { skip, timeout: 60_000 }, async () => {
  const file = join(mkdtempSync(join(tmpdir(), "trammel-report-")), "gears.yaml");
  writeFileSync(
    file,
    `trammel: 1
plane: xy
gravity: [0, -10]
bodies: {a: {mass: 1, inertia: 0.1}, b: {mass: 1, inertia: 0.1, at: [3, 0]}}
joints:
  A: {revolute: [a, ground], at: [0, 0]}
  B: {revolute: [b, ground], at: [3, 0]}
  teeth: {gear: [A, B], ratio: 2}
simulate: {duration: 0.1 s, step: 10 ms}
`,
  );
  const page = await openPage(browser);
  await page.goto(report(file));
  assert.match(await page.locator(".figures").innerText(), /Peak reaction \(without tooth forces\)\s+10 N/i);
  await page.close();
});

test("the error of each value is a band behind its curve, where it is known", { skip, timeout: 180_000 }, async () => {
  // Steps of 50 ms err by centimetres: the band is as wide as some pixels.
  const file = join(mkdtempSync(join(tmpdir(), "trammel-report-")), "band.yaml");
  writeFileSync(file, PENDULUM.replace("duration: 1 s", "duration: 3 s, step: 50 ms"));
  const page = await openPage(browser);
  // Pixels of the curve's own colour, and of the band, which is three tenths of it.
  const covered = async (...options) => {
    await page.goto(report(file, ...options));
    const plot = page.locator(".plot", { has: page.locator('[title="A.x"]') }).locator("canvas");
    await plot.waitFor();
    await page.emulateMedia({ colorScheme: "light" });
    const image = await pixels(page, plot);
    const [ink, paper] = [
      [0x1f, 0x6f, 0xd1],
      [0xff, 0xff, 0xff],
    ];
    const counts = { curve: 0, band: 0 };
    for (let i = 0; i < image.data.length; i += 4)
      for (const [name, part] of [
        ["curve", 1],
        ["band", 0.3],
      ])
        // Blending rounds each of three channels.
        if ([0, 1, 2].every((k) => Math.abs(image.data[i + k] - (part * ink[k] + (1 - part) * paper[k])) <= 2))
          ++counts[name];
    return counts;
  };
  const verified = await covered();
  const alone = await covered("--verify", "off");
  assert.ok(verified.curve > 100 && alone.curve > 100, `${verified.curve} and ${alone.curve} pixels of the curve`);
  // Its edges may have this colour by chance.
  assert.ok(alone.band < 50, `${alone.band} pixels of a band without a second run, ${verified.band} with it`);
  assert.ok(verified.band > 300, `${verified.band} pixels of the band`);
  assert.deepEqual(page.problems, []);
  await page.close();
});

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
