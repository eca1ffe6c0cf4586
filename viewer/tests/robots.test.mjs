// What a model says bodies look like is what the page and the report show: shapes, colours, meshes.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { build } from "esbuild";
import { launch, noChromium, openPage, shot } from "./browser.mjs";
import { colours, pixels } from "./pixels.mjs";

const program = resolve(process.env.TRAMMEL ?? "build/bin/trammel");
const leg = resolve(process.env.MODELS ?? "models", "../examples/robots/leg.urdf");
const LEFT = "#3373c7";
const RIGHT = "#e08c33";
const skip = noChromium;
let browser;

before(async () => {
  if (!skip) browser = await launch();
});
after(() => browser?.close());

const folder = () => mkdtempSync(join(tmpdir(), "trammel-robots-"));

async function bundled(code) {
  const out = join(folder(), "code.mjs");
  await build({ stdin: { contents: code, resolveDir: "." }, bundle: true, format: "esm", outfile: out });
  return import(out);
}

const base64 = (array) => Buffer.from(array.buffer).toString("base64");

test("every shape fills the box that its sizes tell", async () => {
  const { solids, corners, Box3, MeshStandardMaterial } = await bundled(
    'export { corners, solids } from "./src/render/solids"; export { Box3, MeshStandardMaterial } from "three";',
  );
  const place = { at: [1, 2, 3], q: [0.5, 0.5, 0.5, 0.5] };
  const meshes = [
    {
      positions: base64(new Float32Array([-1, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4])),
      corners: base64(new Uint32Array([0, 2, 1, 0, 1, 3])),
      low: [-1, 0, 0],
      high: [2, 3, 4],
    },
  ];
  const shapes = [
    { kind: "box", size: [1, 2, 3] },
    { kind: "cylinder", size: [0.5, 3, 0] },
    { kind: "sphere", size: [0.7, 0, 0] },
    { kind: "capsule", size: [0.5, 3, 0] },
    { kind: "ellipsoid", size: [1, 2, 3] },
    { kind: "bar", size: [4, 0.6, 0.2] },
    { kind: "mesh", size: [0, 0, 0], mesh: 0 },
  ];
  for (const shape of shapes.map((s) => ({ ...s, ...place }))) {
    const drawn = new Box3().setFromObject(
      solids([shape], meshes, 0.1, () => new MeshStandardMaterial()),
      true,
    );
    const told = new Box3().setFromPoints(corners(shape, meshes));
    // round ones have straight edges
    for (const [a, b] of [
      [drawn.min, told.min],
      [drawn.max, told.max],
    ])
      assert.ok(a.distanceTo(b) < 0.02, `${shape.kind}: ${a.toArray()} ${b.toArray()}`);
  }
});

async function report(file, ...more) {
  const out = folder();
  execFileSync(program, ["run", file, "--out", out, "--quiet", ...more], { stdio: "ignore" });
  const page = await openPage(browser);
  await page.goto(`file://${out}/report.html`);
  await page.locator(".plot canvas").first().waitFor();
  return page;
}

// Of the picture, how many pixels have the colours of the two sides.
async function sides(page, stage) {
  return Object.values(colours(await pixels(page, page.locator(stage)), [LEFT, RIGHT]));
}

test("a report shows a robot as its file does", { skip, timeout: 180_000 }, async () => {
  const page = await report(leg, "--duration", "0.1");
  const [left, right] = await sides(page, ".replay .stage");
  assert.ok(left > 500 && right > 500, `${left} ${right}`);
  assert.equal(await page.getByText("The picture:").count(), 0);
  await shot(page, "robot_report");
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("a mesh that is not there is told, and the rest is drawn", { skip, timeout: 180_000 }, async () => {
  const model = join(folder(), "m.yaml");
  writeFileSync(
    model,
    `trammel: 1
gravity: [0, 0, -9.81]
bodies:
  a: {mass: 1, inertia: [1, 1, 1], drawn: [{shape: mesh, file: gone.stl}, {shape: box, size: [1, 1, 1], colour: "${LEFT}"}]}
simulate: {duration: 0.1}
`,
  );
  const page = await report(model);
  await page.getByText("The picture: the mesh 'gone.stl' is not there.").waitFor();
  const [left] = await sides(page, ".replay .stage");
  assert.ok(left > 500, `${left}`);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("the live page shows a robot as its file does", { skip, timeout: 180_000 }, async () => {
  const child = spawn(program, ["view", leg, "--port", "0", "--no-browser"], {
    stdio: ["ignore", "pipe", "inherit"],
    cwd: folder(),
  });
  try {
    let said = "";
    const url = await new Promise((done, fail) => {
      child.stdout.on("data", (text) => {
        said += text;
        const found = /http:\/\/\S+token=\S+/.exec(said);
        if (found) done(found[0]);
      });
      child.on("exit", (status) => fail(new Error(`trammel view ended with ${status}: ${said}`)));
    });
    const page = await openPage(browser);
    await page.goto(url);
    await page.waitForFunction(() => trammel.model && Number(document.body.dataset.t) >= 0);
    const [left, right] = await sides(page, "canvas >> nth=0");
    assert.ok(left > 500 && right > 500, `${left} ${right}`);
    await shot(page, "robot_live");
    assert.deepEqual(page.problems, []);
    await page.close();
  } finally {
    child.kill("SIGTERM");
  }
});
