// Studies in the live page: runs beside the live one, against figures that are known otherwise.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { shot } from "./browser.mjs";
import { models, open, skip, until, view } from "./board.mjs";

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

test("methods are ghosts at the same time, with their difference", { skip, timeout }, async () => {
  await withStudy(OSCILLATOR, async (page) => {
    await page.locator("[data-study=compare]").click();
    await page.getByLabel("Variant 1").fill("step=0.02");
    await page.getByLabel("Variant 2").fill("parameters.k=500");
    await page.getByLabel("Signal", { exact: true }).selectOption("mass.x");
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    await until(() => page.evaluate(() => trammel.study.ghosts.count === 2), "two ghosts");
    await until(
      () =>
        page
          .locator(".chart")
          .count()
          .then((n) => n === 2),
      "curves and differences",
    );
    await shot(page, "study-compare");
    await page.getByLabel("Variant 1").fill("formulation=nonsense");
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    await page.locator(".toast.error", { hasText: "nonsense" }).waitFor();
  });
});
