// The picture of the live page, with the engine: what moves stays in it, and mechanisms fill it.
import assert from "node:assert/strict";
import { resolve } from "node:path";
import { test } from "node:test";
import { drawn, shot } from "./browser.mjs";
import { models, onScreen, paused, perform, skip, time, until, withPage } from "./engine.mjs";
import { colours, pixels } from "./pixels.mjs";

const limit = { skip, timeout: 240_000 };

for (const [model, body, speed, until_t] of [
  ["lead-screw.yaml", "nut", 2, 3],
  ["pursuit.yaml", null, 2, 4],
  ["skater.yaml", null, 5, 10],
])
  test(`${model}: what travels stays in the picture`, limit, async () => {
    await withPage(model, async (page) => {
      const names = body ? [body] : await page.evaluate(() => trammel.model.scene.bodies.map((b) => b.name));
      await perform(page, { do: "speed", value: speed });
      while ((await time(page)) < until_t) {
        for (const name of names) {
          const seen = await onScreen(page, name, [0, 0, 0]);
          assert.ok(seen.visible, `${name} at ${await time(page)} s: ${JSON.stringify(seen)}`);
        }
        await drawn(page);
      }
      await shot(page, `picture-${model.replace(".yaml", "")}`);
    });
  });

// The share of the picture that the mechanism takes, the larger of both ways.
const share = (page) =>
  page.evaluate(() => {
    const { stage, picture } = trammel;
    const box = picture.view.extent();
    const { width, height } = stage.canvas.getBoundingClientRect();
    const at = [];
    for (let k = 0; k < 8; ++k)
      at.push(
        stage.project(
          stage.controls.target
            .clone()
            .set(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z),
        ),
      );
    const span = (key) => Math.max(...at.map((p) => p[key])) - Math.min(...at.map((p) => p[key]));
    return Math.max(span("x") / width, span("y") / height);
  });

test("mechanisms fill the picture, and a chassis does not hide what it carries", limit, async () => {
  for (const model of ["four-bar.yaml", "slider-crank.yaml", "bricard.yaml"])
    await withPage(model, async (page) => {
      await perform(page, { do: "pause" });
      await perform(page, { do: "reset" });
      await until(async () => (await share(page)) > 0.55, `${model}: more than 55 % of the picture`);
      await shot(page, `picture-fill-${model.replace(".yaml", "")}`);
    });
  await withPage(resolve(models, "../bench/models/vehicle.yaml"), async (page) => {
    await paused(page);
    const wanted = await page.evaluate(() =>
      trammel.picture.view.bodyMaterials.slice(0, 3).map((m) => `#${m.color.getHexString()}`),
    );
    const seen = colours(await pixels(page, page.locator("#stage")), wanted, 8);
    for (const [colour, count] of Object.entries(seen)) assert.ok(count > 80, `${colour}: ${count} pixels`);
    await shot(page, "picture-vehicle");
  });
});
