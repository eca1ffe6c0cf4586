// Studies in the live page: runs beside the live one, against figures that are known otherwise.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { drawn, shot } from "./browser.mjs";
import { models, open, perform, skip, until, view } from "./board.mjs";
import { pixels } from "./pixels.mjs";

const timeout = 240_000;

// A mass of 1 kg on a spring of k = (2π·3)² N/m: 3 Hz.
const OSCILLATOR = `trammel: 1
plane: xy
parameters: {k: 355.3}
points: {P: [1.1, 0]}
bodies: {mass: {point: P, mass: 1}}
joints: {guide: {point-on-line: P, through: [0, 0], along: [1, 0]}}
forces: {spring: {spring: [{body: ground, at: [0, 0]}, P], stiffness: k, length: 1}}
simulate: {duration: 10, step: 1 ms}
`;

async function withStudy(text, act) {
  const server = await view([models]);
  const page = await open(server);
  try {
    await page.locator("#new-plane").waitFor();
    const reply = await page.evaluate((t) => trammel.perform({ do: "new-model", text: t }), text);
    assert.ok(reply.ok, reply.error);
    await until(() => page.evaluate(() => trammel.model), "a model");
    await page.locator("#study").click();
    await act(page);
    assert.deepEqual(page.problems, []);
  } finally {
    await page.close();
    server.stop();
  }
}

test("a spectrum has its peak where the oscillator has its frequency", { skip, timeout }, async () => {
  await withStudy(OSCILLATOR, async (page) => {
    await page.locator("[data-study=spectrum]").click();
    await page.getByLabel("Signal", { exact: true }).selectOption("mass.x");
    await page.getByLabel("Duration").fill("8");
    await page.getByLabel("Duration").press("Enter");
    await until(async () => Math.abs(Number(await page.locator("#study-peak").innerText()) - 3) <= 1 / 8, "3 Hz");
    await shot(page, "study-spectrum");
    await page.locator("[data-study=phase]").click();
    await until(
      () =>
        page
          .locator(".chart")
          .count()
          .then((n) => n === 2),
      "a phase plot and both signals",
    );
  });
});

test("a slider tries values, keeps their curves and its range, and sets the parameter", { skip, timeout }, async () => {
  await withStudy(OSCILLATOR, async (page) => {
    await page.getByLabel("Signal", { exact: true }).selectOption("mass.x");
    const slider = page.getByLabel("k", { exact: true });
    await slider.focus();
    for (let k = 0; k < 4; ++k) {
      const before = await page.locator(".chart-line").count();
      await page.keyboard.press("ArrowRight");
      await until(async () => (await page.locator(".chart-line").count()) > before || before >= 4, "another curve");
    }
    assert.ok((await page.locator(".chart-line.faint").count()) >= 2);
    await until(() => page.evaluate(() => trammel.model.scene.parameters.k > 355.4), "the parameter of the run");
    await page.getByRole("textbox", { name: "k to" }).fill("2000");
    await page.getByRole("textbox", { name: "k to" }).press("Tab");
    await page.locator("#study").click();
    await page.locator("#study").click();
    assert.equal(await page.getByRole("textbox", { name: "k to" }).inputValue(), "2000");
    await shot(page, "study-family");
  });
});

// Of the mass, in each ghost: where the page draws it.
const ghostPlaces = (page) =>
  page.evaluate(() =>
    trammel.study.ghosts.list.map(
      ({ view }) => view.place({ body: "mass", at: [0, 0, 0] }, trammel.stage.controls.target.clone()).x,
    ),
  );

test("methods are ghosts at the same time, with their difference", { skip, timeout }, async () => {
  await withStudy(OSCILLATOR, async (page) => {
    await page.locator("[data-study=compare]").click();
    const stiffness = [400, 500, 600];
    for (const [k, value] of stiffness.entries())
      await page.getByLabel(`Variant ${k + 1}`).fill(`parameters.k=${value}`);
    await page.getByLabel("Variant 4").fill("formulation=lagrange");
    await page.getByLabel("Signal", { exact: true }).selectOption("mass.x");
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    await until(() => page.evaluate(() => trammel.study.ghosts.count === 4), "four ghosts");
    await until(async () => (await page.locator(".chart").count()) === 2, "curves and differences");
    // x = 1 + 0.1 cos(√k t): each ghost is at the time of the live run, wherever that is
    let steps = 0; // of 1 ms
    for (const t of [0, 0.2, 0.61]) {
      const count = Math.round(1000 * t) - steps;
      steps += count;
      if (count) await perform(page, { do: "step", count });
      await until(() => page.evaluate((time) => Math.abs(trammel.now - time) < 1e-9, t), `${t} s`);
      const places = await ghostPlaces(page);
      for (const [k, value] of [...stiffness, 355.3].entries()) {
        const exact = 1 + 0.1 * Math.cos(Math.sqrt(value) * t);
        // between two of 300 rows in 5 s: at most 0.1 k (Δt)²/8 = 2 mm
        assert.ok(Math.abs(places[k] - exact) < 2.2e-3, `k = ${value} at ${t} s: ${places[k]} instead of ${exact}`);
      }
    }
    // they are seen: without them the picture is another
    const stage = page.locator("#stage canvas").first();
    await drawn(page);
    await shot(page, "study-compare");
    await page.emulateMedia({ colorScheme: "dark" });
    for (const [name, width, height] of [
      ["upright", 390, 780],
      ["across", 780, 390],
    ]) {
      await page.setViewportSize({ width, height });
      await drawn(page);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
      assert.ok(await page.locator(".chart").first().isVisible());
      await shot(page, `study-compare-${name}-dark`);
    }
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: 1280, height: 800 });
    await drawn(page);
    const before = await pixels(page, stage);
    await page.locator("[data-study=phase]").click();
    await until(() => page.evaluate(() => trammel.study.ghosts.count === 0), "no ghosts");
    await drawn(page);
    const after = await pixels(page, stage);
    let changed = 0;
    for (let i = 0; i < before.data.length; i += 4) if (Math.abs(before.data[i] - after.data[i]) > 30) ++changed;
    assert.ok(changed > 300, `${changed} pixels`);
    await page.locator("[data-study=compare]").click();
    await page.getByLabel("Variant 1").fill("formulation=nonsense");
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    await page.locator(".toast.error", { hasText: "nonsense" }).waitFor();
  });
});

const analysed = async (page, name) => {
  await page.getByRole("button", { name, exact: true }).click(); // what was found before goes at once
  return until(
    () =>
      page
        .locator("#study-text")
        .innerText({ timeout: 100 })
        .catch(() => ""),
    name,
  );
};

test("analyses are made in the page: branches as ghosts, modes, workspace", { skip, timeout }, async () => {
  const four = readFileSync(join(models, "four-bar.yaml"), "utf8");
  await withStudy(four, async (page) => {
    await page.locator("[data-study=analyses]").click();
    // a four-bar closes in two ways
    assert.match(await analysed(page, "Assembly branches"), /2 (assembly )?branches/);
    await until(() => page.evaluate(() => trammel.study.ghosts.count === 2), "both branches");
    await drawn(page);
    await shot(page, "study-branches");
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save its page" }).click(),
    ]);
    assert.equal(file.suggestedFilename(), "positions.html");
    // all of both is in sight
    const corners = await page.evaluate(() => {
      const box = trammel.study.ghosts.extent();
      return [box.min, box.max].map((p) => trammel.stage.project(p).visible);
    });
    assert.deepEqual(corners, [true, true]);
    assert.match(await analysed(page, "Workspace"), /Point P[^]*x from .* m[^]*y from .* m/);
    assert.equal(await page.evaluate(() => trammel.study.ghosts.count), 0);
    // the places that P reaches are drawn: as far as the text tells
    const text = await page.locator("#study-text").innerText();
    const [, low, high] = /x from (\S+) to (\S+) m/.exec(text);
    const reached = await page.evaluate(() => {
      const { min, max } = trammel.study.ghosts.extent();
      return [min.x, max.x];
    });
    // which has four digits
    assert.ok(Math.hypot(reached[0] - low, reached[1] - high) < 1e-4, String(reached));
    await drawn(page);
    await shot(page, "study-workspace");
  });
  await withStudy(OSCILLATOR, async (page) => {
    await page.locator("[data-study=analyses]").click();
    // √355.3/2π
    assert.match(await analysed(page, "Vibration modes"), /2\.99998/);
    await shot(page, "study-modes");
  });
});
