// Time on the live page, with the engine: curves of every step, the timeline, branches, what a reload keeps.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { shot } from "./browser.mjs";
import { onScreen, paused, perform, skip, time, until, withPage } from "./engine.mjs";

const limit = { skip, timeout: 240_000 };
const EVERYTHING = { min: -1, max: 1e9 };

// A rod with a moment of inertia of 1 kg·m² about its pivot, and a torsion spring: it swings at 20 Hz.
const oscillator = join(mkdtempSync(join(tmpdir(), "trammel-20-hz-")), "oscillator.yaml");
writeFileSync(
  oscillator,
  `trammel: 1
name: oscillator
plane: xy
points: {O: {at: [0, 0], on: ground}, A: [1, 0]}
bodies: {rod: {rod: [O, A], mass: 3 kg}}
forces: {spring: {joint: O, torque: "-${(40 * Math.PI) ** 2}*(O.angle - 0.1)"}}
simulate: {duration: 10, step: 1 ms}
`,
);

// Cycles a second, from the upward crossings of the mean.
function frequency(t, x) {
  const mean = x.reduce((sum, v) => sum + v, 0) / x.length;
  const up = [];
  for (let i = 1; i < x.length; ++i)
    if (x[i - 1] < mean && x[i] >= mean)
      up.push(t[i - 1] + ((mean - x[i - 1]) / (x[i] - x[i - 1])) * (t[i] - t[i - 1]));
  return (up.length - 1) / (up.at(-1) - up[0]);
}

const curve = (page, name) =>
  page
    .evaluate(([n, range]) => trammel.history.data([n], range), [name, EVERYTHING])
    .then(({ t, columns }) => {
      const kept = t.map((s, i) => [s, columns[0][i]]).filter(([, x]) => x !== null);
      return { t: kept.map(([s]) => s), x: kept.map(([, x]) => x) };
    });

test("a motion of 20 Hz at ten times its speed reads 20 Hz, in the curve and in the file", limit, async () => {
  await withPage(oscillator, async (page) => {
    await page.evaluate(() => trammel.plots.add(["O.angle"]));
    await perform(page, { do: "speed", value: 10 });
    await until(async () => (await time(page)) > 3, "three seconds");
    await paused(page);
    await until(async () => (await curve(page, "O.angle")).t.at(-1) >= (await time(page)) - 1e-9, "all rows");
    const end = await time(page);
    // what a plot of the last second, or of the last three, is drawn from
    for (const seconds of [1, 3]) {
      const { t, x } = await curve(page, "O.angle", { min: end - seconds, max: end });
      assert.ok(Math.abs(frequency(t, x) - 20) < 0.05, `${frequency(t, x)} Hz`);
    }
    const plot = page.locator(".plot").last();
    await page.locator("#window").selectOption("1");
    await plot.scrollIntoViewIfNeeded();
    await plot.hover();
    const [csv] = await Promise.all([page.waitForEvent("download"), plot.getByTitle("Save as CSV").click()]);
    const rows = readFileSync(await csv.path(), "utf8")
      .trim()
      .split("\n");
    const table = rows.slice(1).map((row) => row.split(",").map(Number));
    assert.ok(Math.abs(table.length - 1001) <= 1, `${table.length} rows of a second in steps of 1 ms`);
    const read = frequency(
      table.map((r) => r[0]),
      table.map((r) => r[1]),
    );
    assert.ok(Math.abs(read - 20) < 0.05, `${read} Hz`);
    await shot(page, "time-20-hz");
  });
});

test("scrubbed back a hundred times at random, the state has the same bits", limit, async () => {
  await withPage("double-pendulum.yaml", async (page) => {
    await paused(page);
    const states = await page.evaluate(async () => {
      const all = [];
      for (let k = 0; k < 120; ++k) {
        if (k === 40) await trammel.send({ do: "set-value", path: "bodies.lower.mass", value: 2 });
        const reply = await trammel.send({ do: "step", count: 5 });
        all.push([reply.step, reply.state]);
      }
      return all;
    });
    const wrong = await page.evaluate(async (all) => {
      let seed = 7;
      let count = 0;
      for (let k = 0; k < 100; ++k) {
        seed = (1103515245 * seed + 12345) % 2147483648;
        const [step, state] = all[seed % all.length];
        const reply = await trammel.send({ do: "seek", step });
        if (!reply.ok || reply.state !== state) ++count;
      }
      return count;
    }, states);
    assert.equal(wrong, 0);
  });
});

test("the timeline is dragged back, played from there, and an edit there leaves a ghost", limit, async () => {
  await withPage("double-pendulum.yaml", async (page) => {
    await until(async () => (await time(page)) > 1.5, "some motion");
    await paused(page);
    const end = await time(page);
    const track = page.getByRole("slider", { name: "Time" });
    const box = await track.boundingBox();
    await page.mouse.move(box.x + box.width - 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.25 * box.width, box.y + box.height / 2, { steps: 6 });
    await page.mouse.up();
    await until(async () => Math.abs((await time(page)) - 0.25 * end) < 0.02 * end, "a quarter of the time");
    await shot(page, "time-dragged");
    // one step by the keyboard, either way
    const before = await time(page);
    await track.press("ArrowRight");
    await until(async () => (await time(page)) > before, "a step on");
    await track.press("ArrowLeft");
    await until(async () => Math.abs((await time(page)) - before) < 1e-9, "and back");
    const old = await curve(page, await page.evaluate(() => trammel.plots.plots[0].names[0]));
    await perform(page, { do: "set-gravity", value: [0, -1.62, 0] });
    await page.locator(".timeline .ghost").waitFor();
    await perform(page, { do: "resume" });
    await until(async () => (await time(page)) > before + 0.6, "the new branch");
    await paused(page);
    const ghost = await page.evaluate(() => trammel.history.ghost?.count ?? 0);
    assert.ok(ghost > 0, "the old curve is a ghost");
    await shot(page, "time-branch");
    await page.locator(".timeline .ghost").click();
    await until(() => page.evaluate(() => trammel.model.scene.gravity[1] === -9.81), "the old branch");
    await page.getByRole("slider", { name: "Time" }).press("End");
    await until(async () => Math.abs((await time(page)) - end) < 1e-9, "its end");
    assert.ok(old.t.length > 100);
  });
});

test("a reload has the curves of before", limit, async () => {
  await withPage("double-pendulum.yaml", async (page) => {
    await until(async () => (await time(page)) > 1, "a second");
    await paused(page);
    const name = await page.evaluate(() => trammel.plots.plots[0].names[0]);
    await until(async () => (await curve(page, name)).t.at(-1) >= (await time(page)) - 1e-9, "all rows");
    const before = await curve(page, name);
    await page.reload();
    await page.waitForFunction(() => trammel.model && Number(document.body.dataset.t) > 0);
    await until(async () => (await curve(page, name)).t.length === before.t.length, "as many rows");
    assert.deepEqual(await curve(page, name), before);
  });
});

test("a paused edit and its undo leave the state as it was, and traces come from every step", limit, async () => {
  await withPage("double-pendulum.yaml", async (page) => {
    await perform(page, { do: "speed", value: 10 });
    await until(async () => (await time(page)) > 4, "four seconds");
    await paused(page);
    const send = (command) => page.evaluate((c) => trammel.send(c), command);
    const before = await send({ do: "step" });
    await send({ do: "remove-joint", name: "A" });
    const after = await send({ do: "undo" });
    assert.equal(after.state, before.state);
    // between two points of the trace the end moves no farther than in some steps
    await until(async () => {
      const longest = await page.evaluate(() => {
        const { trace } = trammel.picture.traces[0];
        const p = trace.positions.array;
        let most = 0;
        for (let i = 1; i < trace.kept; ++i)
          most = Math.max(most, Math.hypot(p[3 * i] - p[3 * i - 3], p[3 * i + 1] - p[3 * i - 2]));
        // steps of 10 ms, of the last 15 s
        return trace.kept >= Math.min(trammel.now, 15) / 0.01 - 1 ? most : Infinity;
      });
      return longest < 0.2;
    }, "a trace without chords");
    const tip = await onScreen(page, "lower", [1, 0, 0]);
    assert.ok(tip.visible);
    await shot(page, "time-trace");
  });
});
