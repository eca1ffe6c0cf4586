// Drawing in the live page, with the engine behind it: from an empty sheet to a mechanism that runs.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { shot } from "./browser.mjs";
import { models, modelText, open, perform, pixel, program, skip, until, view } from "./board.mjs";

const timeout = 240_000;

async function withPage(args, act, options = {}) {
  const server = await view(args);
  const page = await open(server, options);
  try {
    await act(page, server);
    assert.deepEqual(page.problems, []);
  } finally {
    await page.close();
    server.stop();
  }
}

const scene = (page) => page.evaluate(() => trammel.model?.scene ?? null);
const bodies = async (page) => (await scene(page))?.bodies.length ?? 0;
const clickAt = async (page, x, y) => {
  const p = await pixel(page, x, y);
  await page.mouse.move(p.x, p.y, { steps: 2 });
  await page.mouse.click(p.x, p.y);
};
const count = (page, n) => until(async () => (await bodies(page)) === n, `${n} bodies`);

async function sheet(page) {
  await page.locator("#new-plane").click();
  await until(() => page.evaluate(() => trammel.picture !== null), "an empty sheet");
}

// A crank-rocker: crank 0.4, coupler 1.0, rocker 0.8 on a base of 1.0 m; Grashof: 0.4 + 1 < 0.8 + 1.
const CHAIN = [
  [-0.6, -0.4],
  [-0.6, 0],
  [0.2, 0.6],
  [0.4, -0.4],
];
async function fourBar(page) {
  await page.keyboard.press("l");
  for (const [i, [x, y]] of CHAIN.entries()) {
    await clickAt(page, x, y);
    if (i > 0) await count(page, i);
  }
  await page.keyboard.press("Escape");
  await page.keyboard.press("g");
  for (const [x, y] of [CHAIN[0], CHAIN[3]]) {
    const before = await page.evaluate(() => trammel.model.revision);
    await clickAt(page, x, y);
    await until(() => page.evaluate((r) => trammel.model.revision !== r, before), "grounded");
  }
  await page.keyboard.press("Escape");
}

test("without a model there is a gallery with pictures, and what is chosen runs", { skip, timeout }, async () => {
  await withPage([models], async (page) => {
    await page.locator(".gallery .card", { hasText: /pendulumdouble-pendulum.yaml/ }).waitFor();
    await until(() => page.locator(".thumbnail polyline").count(), "pictures of models");
    await page.waitForTimeout(800);
    await shot(page, "gallery");
    await page.locator(".gallery .card", { hasText: /pendulumdouble-pendulum.yaml/ }).click();
    await count(page, 2);
    await until(() => page.evaluate(() => Number(document.body.dataset.t) > 0.1), "it runs");
  });
});

test("what was opened is offered again, also from another folder", { skip, timeout }, async () => {
  const first = await view([join(models, "bricard.yaml")]);
  const page = await open(first);
  await until(() => page.evaluate(() => trammel.model), "a model");
  await page.close();
  first.stop();
  const second = await view([], first.folder);
  const again = await open(second);
  const card = again.locator(".gallery .card", { hasText: "bricard.yaml" });
  await card.waitFor();
  await card.click();
  await until(() => again.evaluate(() => trammel.model?.scene.bodies.length === 5), "Bricard's mechanism");
  await again.close();
  second.stop();
});

test("a four-bar is drawn, counted, motored, saved and run", { skip, timeout }, async () => {
  await withPage([], async (page, server) => {
    await sheet(page);
    await fourBar(page);
    await until(async () => (await page.locator("#mobility").innerText()).startsWith("1 degree of freedom"), "1 DOF");
    await shot(page, "draw-four-bar");
    await page.keyboard.press("m");
    await clickAt(page, ...CHAIN[0]);
    await page.getByRole("textbox", { name: "speed" }).fill("30 rpm");
    await page.keyboard.press("Enter");
    await until(async () => (await modelText(page)).includes("30 rpm"), "the speed in the text");
    await page.keyboard.press("Escape");
    await page.keyboard.press(" ");
    await until(() => page.evaluate(() => Number(document.body.dataset.t) > 0.5), "it runs");
    await shot(page, "draw-four-bar-runs");
    const text = await modelText(page);
    writeFileSync(join(server.folder, "drawn.yaml"), text);
    const run = spawnSync(program, ["run", "drawn.yaml", "--duration", "1"], { cwd: server.folder, encoding: "utf8" });
    assert.equal(run.status, 0, run.stderr + text);
    // every link as it was drawn: 0.4, 1.0 and hypot(0.2, 1)
    const lengths = (await scene(page)).bodies.map((b) => b.length);
    assert.ok(Math.hypot(lengths[0] - 0.4, lengths[1] - 1, lengths[2] - Math.hypot(0.2, 1)) < 1e-5, String(lengths));
  });
});

test("dimensions are typed while drawing and changed after", { skip, timeout }, async () => {
  await withPage([], async (page) => {
    await sheet(page);
    await clickAt(page, 0, 0);
    await page.mouse.move(700, 300);
    await page.keyboard.type("35 cm");
    await page.keyboard.press("Tab");
    await page.keyboard.type("30");
    await shot(page, "draw-typed");
    await page.keyboard.press("Enter");
    await count(page, 1);
    const [link] = (await scene(page)).bodies;
    assert.ok(Math.abs(link.length - 0.35) < 1e-9);
    const end = (await scene(page)).points[1].at;
    assert.ok(Math.abs(Math.atan2(end[1], end[0]) - Math.PI / 6) < 1e-5, String(end));
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await page.locator(".tree .row", { hasText: "link1" }).click();
    await page.locator(".dimension").click();
    await page.getByRole("textbox", { name: "length", exact: true }).fill("0.5");
    await page.keyboard.press("Enter");
    await until(async () => (await scene(page)).bodies[0].length === 0.5, "a longer link");
  });
});

test(
  "a point that is dragged while paused keeps the joints closed, and undo brings it back",
  { skip, timeout },
  async () => {
    await withPage([], async (page) => {
      await sheet(page);
      await fourBar(page);
      const before = await modelText(page);
      const place = (body, at) =>
        page.evaluate(
          ([b, a]) => trammel.picture.view.place({ body: b, at: a }, trammel.stage.controls.target.clone()).toArray(),
          [body, at],
        );
      const [from, to] = [await pixel(page, -0.6, -0.05), await pixel(page, -0.2, -0.1)];
      await page.mouse.move(from.x, from.y);
      await page.mouse.down();
      await page.mouse.move(to.x, to.y, { steps: 6 });
      await until(async () => (await place("link1", [0.4, 0, 0]))[0] > -0.45, "the crank follows");
      await shot(page, "draw-drag");
      await page.mouse.up();
      await until(async () => (await modelText(page)) !== before, "the text follows");
      const [tip, joint] = [await place("link1", [0.4, 0, 0]), await place("link2", [0, 0, 0])];
      assert.ok(Math.hypot(tip[0] - joint[0], tip[1] - joint[1]) < 1e-5, `${tip} ${joint}`);
      await page.keyboard.press("Control+z");
      await until(async () => (await modelText(page)) === before, "undone");
    });
  },
);

test("every tool draws its part, and what it draws runs", { skip, timeout }, async () => {
  await withPage([], async (page, server) => {
    await sheet(page);
    await fourBar(page);
    const joints = async () => (await scene(page)).joints.map((j) => j.kind);
    const use = async (key, ...places) => {
      const before = await page.evaluate(() => trammel.model.revision);
      await page.keyboard.press(key);
      for (const [x, y] of places) await clickAt(page, x, y);
      await until(() => page.evaluate((r) => trammel.model.revision !== r, before), `tool ${key}`);
      await page.keyboard.press("Escape");
      await page.keyboard.press("Escape");
    };
    await use("k", [0.2, 0.6], [0.8, 0.8]);
    await use("d", [0.2, 0.6], [-0.4, 0.8]);
    let now = await scene(page);
    assert.deepEqual(
      now.forces.map((f) => f.name),
      ["spring1", "damper1"],
    );
    // a link of its own, held by a slider at one end and a weld to the ground is refused by nothing
    await use("l", [0.8, 0], [1, 0.2]);
    await use("s", [0.8, 0], [1.2, 0]);
    assert.ok((await joints()).includes("point-on-line"));
    await page.keyboard.press("b");
    for (const [x, y] of [
      [-1, 0.6],
      [-0.8, 0.6],
      [-0.8, 0.8],
    ])
      await clickAt(page, x, y);
    await page.keyboard.press("Enter");
    await count(page, 5);
    await page.keyboard.press("Escape");
    await use("w", [-0.84, 0.66], [-1.2, 0.2]);
    assert.ok((await joints()).includes("fixed"));
    await shot(page, "draw-tools");
    writeFileSync(join(server.folder, "tools.yaml"), await modelText(page));
    const run = spawnSync(program, ["run", "tools.yaml", "--duration", "0.2"], {
      cwd: server.folder,
      encoding: "utf8",
    });
    assert.equal(run.status, 0, run.stderr + (await modelText(page)));
    // one step back for each thing that was drawn
    for (let k = 0; k < 3; ++k) await perform(page, { do: "undo" });
    await until(async () => (await bodies(page)) === 4, "undone");
  });
});

test("gears, pins, copies and mirror images", { skip, timeout }, async () => {
  await withPage([], async (page) => {
    await sheet(page);
    await page.keyboard.press("l");
    const revision = () => page.evaluate(() => trammel.model?.revision ?? -1);
    const after = async (act) => {
      const before = await revision();
      await act();
      await until(async () => (await revision()) !== before, "an edit");
    };
    // two wheels' arms on ground pivots, geared
    for (const [a, b] of [
      [
        [-0.4, 0],
        [-0.4, 0.2],
      ],
      [
        [0.2, 0],
        [0.2, 0.2],
      ],
    ]) {
      await clickAt(page, ...a);
      await after(() => clickAt(page, ...b));
      await page.keyboard.press("Escape");
    }
    await page.keyboard.press("g");
    await after(() => clickAt(page, -0.4, 0));
    await after(() => clickAt(page, 0.2, 0));
    await page.keyboard.press("e");
    await clickAt(page, -0.4, 0);
    await after(() => clickAt(page, 0.2, 0));
    const gear = (await scene(page)).joints.find((j) => j.kind === "gear-pair");
    assert.deepEqual(gear.radii, [0.3, 0.3]);
    await until(async () => (await page.locator("#mobility").innerText()).startsWith("1 degree"), "1 DOF by the gears");
    // two links that cross, pinned where they do
    await page.keyboard.press("l");
    for (const [a, b] of [
      [
        [-0.8, -0.8],
        [-0.4, -0.4],
      ],
      [
        [-0.8, -0.4],
        [-0.4, -0.8],
      ],
    ]) {
      await clickAt(page, ...a);
      await after(() => clickAt(page, ...b));
      await page.keyboard.press("Escape");
    }
    await page.keyboard.press("i");
    await after(() => clickAt(page, -0.6, -0.6));
    assert.equal((await scene(page)).joints.filter((j) => j.kind === "pin").length, 3);
    const before = await bodies(page);
    await page.keyboard.press("c");
    await clickAt(page, 0, 0);
    await after(() => clickAt(page, 0.2, 0.6));
    assert.equal(await bodies(page), 2 * before);
    await after(() => page.keyboard.press("Control+z"));
    await page.keyboard.press("Escape");
    await page.keyboard.press("o");
    await clickAt(page, 0.6, -0.8);
    await after(() => clickAt(page, 0.6, 0.8));
    assert.equal(await bodies(page), 2 * before);
    await shot(page, "draw-mirror");
    // Del takes what is selected, and names what went with it
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await page.locator(".tree .row", { hasText: "link1" }).first().click();
    await after(() => page.keyboard.press("Delete"));
    assert.equal(await bodies(page), 2 * before - 1);
  });
});

test("redundant joints are named", { skip, timeout }, async () => {
  await withPage([join(models, "bricard.yaml")], async (page) => {
    await until(async () => /1 redundant equation/.test(await page.locator("#mobility").innerText()), "one redundant");
    assert.match(await page.locator("#mobility").innerText(), /^1 degree of freedom/);
  });
});

test("the text and the picture are one model", { skip, timeout }, async () => {
  await withPage([join(models, "double-four-bar.yaml")], async (page) => {
    await until(() => page.evaluate(() => trammel.model), "a model");
    await perform(page, { do: "pause" });
    await perform(page, { do: "reset" });
    await page.keyboard.press("y");
    const area = page.locator("#model-text");
    const file = readFileSync(join(models, "double-four-bar.yaml"), "utf8");
    await until(async () => (await area.inputValue()) === file, "the file's own text");
    // text to picture
    await area.fill(file.replace("B2: [2, 1]", "B2: [2, 1.5]"));
    await until(async () => Math.abs((await scene(page)).bodies[2].length - 1.5) < 1e-9, "a longer crank");
    // what is no model is located, and the picture stays
    await area.fill(file.replace("rod: [B1, B2]", "rod: [B1, B7]"));
    const error = page.locator(".text-errors li").first();
    await error.waitFor();
    assert.match(await error.innerText(), /^20:\d+/);
    assert.ok(Math.abs((await scene(page)).bodies[2].length - 1.5) < 1e-9);
    await shot(page, "text-error");
    await area.fill(file);
    await until(async () => (await page.locator(".text-errors li").count()) === 0, "no error");
    await until(async () => Math.abs((await scene(page)).bodies[2].length - 1) < 1e-9, "as in the file");
    // picture to text: comments and order stay
    await page.locator("#stage canvas").focus();
    await perform(page, { do: "set-value", path: "bodies.coupler1.mass", value: 2 });
    await until(
      async () =>
        (await area.inputValue()) ===
        file.replace("coupler1: {rod: [B0, B1], mass: 1 kg}", "coupler1: {rod: [B0, B1], mass: 2}"),
      "the text follows",
    );
    await shot(page, "text-panel");
  });
});

test("a place, two and three are measured while it moves", { skip, timeout }, async () => {
  await withPage([join(models, "double-pendulum.yaml")], async (page) => {
    await until(() => page.evaluate(() => trammel.model), "a model");
    await perform(page, { do: "pause" });
    await perform(page, { do: "reset" });
    await page.keyboard.press("u");
    const at = async (body, local) =>
      page.evaluate(
        ([b, p]) =>
          trammel.stage.project(trammel.picture.view.place({ body: b, at: p }, trammel.stage.controls.target.clone())),
        [body, local],
      );
    const text = () => page.evaluate(() => trammel.drawing.measuring.text());
    const places = [await at("upper", [0, 0, 0]), await at("upper", [1, 0, 0]), await at("lower", [1, 0, 0])];
    await page.mouse.click(places[0].x, places[0].y);
    await page.mouse.click(places[1].x, places[1].y);
    assert.equal(await text(), "1 m");
    await page.mouse.click(places[2].x, places[2].y);
    const angle = parseFloat(await text());
    const ends = await page.evaluate(() =>
      [
        ["upper", 0],
        ["upper", 1],
        ["lower", 1],
      ].map(([body, x]) =>
        trammel.picture.view.place({ body, at: [x, 0, 0] }, trammel.stage.controls.target.clone()).toArray(),
      ),
    );
    const [a, b] = [0, 2].map((k) => [ends[k][0] - ends[1][0], ends[k][1] - ends[1][1]]);
    const expected = (Math.acos((a[0] * b[0] + a[1] * b[1]) / (Math.hypot(...a) * Math.hypot(...b))) * 180) / Math.PI;
    assert.ok(Math.abs(angle - expected) < 0.1, `${angle} and ${expected}`);
    await shot(page, "measure");
    // the way of one place grows with the motion
    await page.keyboard.press("Escape");
    await page.mouse.click(places[2].x, places[2].y);
    await perform(page, { do: "step", count: 300 });
    await until(async () => parseFloat((await text()).slice(4)) > 0.01, "a way");
  });
});
