// Machine elements as what they are: belts touch their pulleys, and gears, racks, worms and cams are drawn and move.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { build } from "esbuild";
import { launch, noChromium, openPage, seek, shot } from "./browser.mjs";
import { pixels } from "./pixels.mjs";

const program = process.env.TRAMMEL ?? "build/bin/trammel";
const models = process.env.MODELS ?? "models";
const skip = noChromium;
let browser;

before(async () => {
  if (!skip) browser = await launch();
});
after(() => browser?.close());

async function bundled(code) {
  const out = join(mkdtempSync(join(tmpdir(), "trammel-belts-")), "belts.mjs");
  await build({
    stdin: { contents: code, resolveDir: "." },
    bundle: true,
    format: "esm",
    outfile: out,
    logLevel: "error",
  });
  return import(out);
}

const source = `
export { Belts, tangent } from "./src/render/belts";
export { MeshBasicMaterial, Vector3 } from "three";
`;

test("a span touches both pulleys, and the arc goes on from it", async () => {
  const { Belts, tangent, MeshBasicMaterial, Vector3 } = await bundled(source);
  for (const radii of [
    [0.3, 0.5],
    [0.3, -0.5],
    [-0.4, -0.2],
  ]) {
    const [first, second, axis] = [new Vector3(0.1, 0.2, 0), new Vector3(1.5, -0.7, 0), new Vector3(0, 0, 1)];
    const { leaves, comes } = tangent(first, second, axis, radii);
    const along = comes.clone().sub(leaves).normalize();
    for (const [centre, place, r] of [
      [first, leaves, radii[0]],
      [second, comes, radii[1]],
    ]) {
      const arm = place.clone().sub(centre);
      assert.ok(Math.abs(arm.length() - Math.abs(r)) < 1e-12);
      assert.ok(Math.abs(arm.dot(along)) < 1e-12);
      // it runs counterclockwise about a pulley of a positive radius
      assert.equal(Math.sign(arm.cross(along).z), Math.sign(r));
    }
  }
  // Two equal pulleys: the lines are as long as the centres are apart, and each arc is half a circle.
  const marker = (x) => ({ body: "ground", at: [x, 0, 0], q: [1, 0, 0, 0] });
  const spans = [
    { from: marker(0), to: marker(2), radii: [0.5, 0.5] },
    { from: marker(2), to: marker(0), radii: [0.5, 0.5] },
  ];
  const belts = new Belts(spans, new MeshBasicMaterial(), 0.01, 0);
  belts.update((m, at, axis) => {
    at.set(...m.at);
    axis.set(0, 0, 1);
  });
  for (const [line, ...arc] of belts.meshes) {
    assert.ok(Math.abs(line.scale.y - 2) < 1e-12);
    const length = arc.reduce((sum, part) => sum + part.scale.y, 0);
    const chord = 2 * 0.5 * Math.sin(Math.PI / 2 / arc.length) * arc.length;
    assert.ok(Math.abs(length - chord) < 1e-12, `${length} ${chord}`);
  }
});

// A part of a turn of the cam shows enough.
const shorter = { "valve-train.yaml": ["--duration", "0.06"] };

async function open(model) {
  const folder = mkdtempSync(join(tmpdir(), "trammel-machines-"));
  execFileSync(
    program,
    [
      "run",
      resolve(models, model),
      "--out",
      folder,
      "--quiet",
      "--set",
      "simulate.verify=off",
      ...(shorter[model] ?? []),
    ],
    {
      stdio: ["ignore", "ignore", "ignore"],
    },
  );
  const page = await openPage(browser);
  await page.goto(`file://${folder}/report.html`);
  await page.locator(".plot canvas").first().waitFor();
  return page;
}

function difference(a, b) {
  let count = 0;
  for (let i = 0; i < a.data.length; i += 4) if (Math.abs(a.data[i] - b.data[i]) > 30) ++count;
  return count;
}

for (const model of [
  "belt-drive",
  "valve-train",
  "differential",
  "worm-hoist",
  "rack-and-pinion",
  "geneva-drive",
  "chain-drive",
  "planetary-gears",
  "geared-arm",
  "cam-law",
  "tendon-finger",
  "screw-jack",
  "constant-velocity-shaft",
  "cardan-shaft",
  "loaded-guide",
])
  test(`${model} is drawn and moves`, { skip, timeout: 180_000 }, async () => {
    const page = await open(`${model}.yaml`);
    const stage = page.locator(".replay .stage");
    const first = await pixels(page, stage);
    await seek(page, 0.33);
    let changed = 0;
    for (let i = 0; i < 100 && changed < 300; ++i) changed = difference(first, await pixels(page, stage));
    assert.ok(changed >= 300, `${changed} pixels differ`);
    await shot(page, `report-${model}`);
    assert.deepEqual(page.problems, []);
    await page.close();
  });

// What stands at the places of a joint or a load: bodies of the glyphs, and how many meshes each has.
const meshes = (glyphs) =>
  glyphs.map(({ body, object }) => {
    let count = 0;
    object.traverse((part) => (count += part.isMesh ? 1 : 0));
    return [body, count];
  });

test("elements on joint coordinates are drawn as what they are", async () => {
  const { drawJoint, drawLoad } = await bundled(`
export { drawJoint } from "./src/render/joints";
export { drawLoad } from "./src/render/loads";
`);
  const marker = (body, x) => ({ body, at: [x, 0, 0], q: [1, 0, 0, 0] });
  const joint = (name, drawn, more = {}) => ({
    name,
    kind: drawn,
    drawn,
    coordinates: ["angle"],
    markers: [marker("a", 0), marker("b", 0)],
    of: [],
    value: 0.1,
    ...more,
  });
  const hinge = joint("hinge", "pivot");
  const slide = joint("slide", "slider", { coordinates: ["displacement"], markers: [marker("c", 2), marker("b", 2)] });
  const scene = { planar: false, bodies: [], joints: [hinge, slide] };
  const looks = new Proxy({}, { get: () => undefined });
  const pen = { scene, size: { unit: 0.05, size: 3 }, looks, top: 0 };
  // the nut on the one, the spindle with its thread on the other
  const screw = meshes(drawJoint(joint("s", "thread"), pen).glyphs);
  assert.deepEqual(
    screw.map(([body]) => body),
    ["a", "b"],
  );
  assert.ok(screw[1][1] > 3, "the thread has turns");
  // the bell around the ball
  assert.deepEqual(
    meshes(drawJoint(joint("v", "constant velocity"), pen).glyphs).map(([body]) => body),
    ["a", "b", "b"],
  );
  // a rotor is one thing more on a joint
  const bare = drawJoint(hinge, pen).glyphs.length;
  assert.equal(drawJoint({ ...hinge, armature: 2 }, pen).glyphs.length, bare + 1);
  // a coupler goes from joint to joint
  const { spans } = drawJoint(joint("c", "link", { markers: [], of: ["slide", "hinge"] }), pen);
  assert.deepEqual(
    spans.map(([from, to]) => [from.body, to.body]),
    [["c", "a"]],
  );
  // a tendon has a pulley of its own radius where it turns a joint
  const tendon = {
    name: "t",
    kind: "tendon",
    drawn: "tendon",
    markers: [],
    joints: ["hinge", "slide"],
    coefficients: [-0.3, 1],
  };
  const [pulley, ...others] = drawLoad(tendon, pen);
  assert.equal(others.length, 0);
  assert.equal(pulley.body, "a");
  let radius = 0;
  pulley.object.traverse((part) => (radius = part.geometry?.parameters?.radius ?? radius));
  assert.ok(Math.abs(radius - 0.3) < 1e-12);
});
