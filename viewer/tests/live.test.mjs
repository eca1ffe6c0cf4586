// The live page with the engine behind it: what a person does to the mechanism, it does.
import assert from "node:assert/strict";
import { test } from "node:test";
import { drawn, shot } from "./browser.mjs";
import { joints, onScreen, open, paused, perform, skip, time, until, view, withPage, world } from "./engine.mjs";
import { centre, colours, pixels } from "./pixels.mjs";

const UPPER = "#4f83c9";
const LOWER = "#e09f3e";

test("the mechanism is seen and moves", { skip, timeout: 180_000 }, async () => {
  await withPage("double-pendulum.yaml", async (page) => {
    const stage = page.locator("#stage");
    const first = await until(async () => {
      const image = await pixels(page, stage);
      return Object.values(colours(image, [UPPER, LOWER])).every((count) => count > 300) && image;
    }, "both bars, each of more than 300 pixels");
    const before = centre(first, LOWER);
    await until(async () => {
      const { x, y } = centre(await pixels(page, stage), LOWER);
      return Math.hypot(x - before.x, y - before.y) > 15;
    }, "the lower bar 15 pixels further");
    await shot(page, "live-double-pendulum");
  });
});

test("a link that is dragged goes towards the mouse", { skip, timeout: 180_000 }, async () => {
  await withPage("double-pendulum.yaml", async (page) => {
    await paused(page);
    const grip = await onScreen(page, "lower", [0.9, 0, 0]);
    const goal = await onScreen(page, "ground", [1.1, 0.9, 0]);
    const target = [1.1, 0.9];
    const distance = async () => {
      const [x, y] = await world(page, "lower", [0.9, 0, 0]);
      return Math.hypot(x - target[0], y - target[1]);
    };
    const before = await distance();
    await page.mouse.move(grip.x, grip.y);
    await page.mouse.down();
    await page.mouse.move(goal.x, goal.y, { steps: 5 });
    await perform(page, { do: "resume" });
    // a critically damped pull swings a little; it must come within a tenth of the way
    await until(async () => (await distance()) < 0.1 * before + 0.05, "the link at the mouse");
    await shot(page, "live-pull");
    await page.mouse.up();
    await until(() => page.evaluate(() => document.getElementById("release").hidden), "released");
  });
});

test("the outer link falls freely when its joint is deleted; undo, redo", { skip, timeout: 180_000 }, async () => {
  await withPage("double-pendulum.yaml", async (page) => {
    await page.evaluate(() => trammel.plots.add(["lower.x", "lower.y"]));
    await until(async () => (await time(page)) > 0.3, "some motion");
    await perform(page, { do: "speed", value: 0.2 });
    await page.locator(".tree .row", { hasText: /^A/ }).click();
    await page.keyboard.press("Delete");
    await until(async () => !(await joints(page)).includes("A"), "the joint gone");
    const from = await time(page); // frames of the model with the joint are not shown any more
    const flight = async () => {
      const { t, columns } = await page.evaluate(() =>
        trammel.history.data(["lower.x", "lower.y"], { min: 0, max: 1e9 }),
      );
      return t.map((s, i) => [s, columns[0][i], columns[1][i]]).filter(([s]) => s > from);
    };
    const rows = await until(async () => {
      const list = await flight();
      return list.length > 12 && list.at(-1)[0] > from + 0.3 && list;
    }, "a free flight");
    await paused(page);
    await shot(page, "live-free-flight");
    // through the first and the last row; between them the parabola, to 1e-6 m
    const [a, b] = [rows[0], rows.at(-1)];
    const T = b[0] - a[0];
    for (const [s, x, y] of rows) {
      const r = s - a[0];
      assert.ok(Math.abs(x - (a[1] + ((b[1] - a[1]) / T) * r)) < 1e-6, `x at ${s}`);
      assert.ok(Math.abs(y - (a[2] + ((b[2] - a[2]) / T) * r + (9.81 / 2) * r * (T - r))) < 1e-6, `y at ${s}`);
    }
    await perform(page, { do: "undo" });
    await until(async () => (await joints(page)).includes("A"), "undone");
    await perform(page, { do: "redo" });
    await until(async () => !(await joints(page)).includes("A"), "redone");
  });
});

test("a joint is added back by picking both ends", { skip, timeout: 180_000 }, async () => {
  await withPage("double-pendulum.yaml", async (page) => {
    await paused(page);
    await perform(page, { do: "remove-joint", name: "A" });
    await until(async () => !(await joints(page)).includes("A"), "the joint gone");
    await page.keyboard.press("j");
    const end = await onScreen(page, "upper", [1, 0, 0]);
    await page.mouse.click(end.x, end.y);
    await page.mouse.click(end.x, end.y);
    const names = await page.locator(".overlay dialog h3").innerText();
    assert.deepEqual(names.split(" – ").sort(), ["lower", "upper"]);
    await page.getByLabel("Name", { exact: true }).fill("again");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await until(async () => (await joints(page)).includes("again"), "the joint added");
    await perform(page, { do: "resume" });
    const from = await time(page);
    await until(async () => (await time(page)) > from + 0.5, "half a second");
    // both ends in one frame
    const gap = await page.evaluate(() => {
      const end = (body, x) =>
        trammel.picture.view.place({ body, at: [x, 0, 0] }, trammel.stage.controls.target.clone());
      return end("upper", 1).distanceTo(end("lower", 0));
    });
    assert.ok(gap < 1e-5, `${gap} m between the ends: more than float32 poses leave`);
    await page.keyboard.press("Control+z");
    await until(async () => !(await joints(page)).includes("again"), "undone");
  });
});

test("formulation and coordinates change while it runs, and the curves tell", { skip, timeout: 180_000 }, async () => {
  await withPage("double-four-bar.yaml", async (page) => {
    const before = await time(page);
    await page.locator("#choose-formulation").selectOption("lagrange");
    await until(() => page.evaluate(() => trammel.model.plan.formulation === "lagrange"), "another formulation");
    await until(async () => (await time(page)) > before + 0.3, "it goes on");
    assert.match(await page.locator("#method").innerText(), /lagrange/);
    for (const coordinates of ["reference", "relative"]) {
      const then = await time(page);
      await page.locator("#choose-coordinates").selectOption(coordinates);
      await until(() => page.evaluate((c) => trammel.model.plan.coordinates === c, coordinates), coordinates);
      await until(async () => (await time(page)) > then + 0.2, "it goes on");
    }
    const marks = await page.evaluate(() => trammel.history.marks.map((m) => m.text));
    assert.deepEqual(marks, ["lagrange", "reference", "relative"]);
    await shot(page, "live-formulation");
  });
});

test("numbers are changed in place, refusals are said and change nothing", { skip, timeout: 180_000 }, async () => {
  await withPage("double-pendulum.yaml", async (page) => {
    await page.locator(".tree .row", { hasText: "upper" }).click();
    const mass = page.getByLabel("bodies.upper.mass");
    await mass.fill("3");
    await mass.press("Enter");
    await until(() => page.evaluate(() => trammel.model.scene.bodies[0].mass === 3), "a heavier bar");
    await mass.fill("-1");
    await mass.press("Enter");
    await page.locator(".toast.error").first().waitFor();
    assert.equal(await page.evaluate(() => trammel.model.scene.bodies[0].mass), 3);
    // a joint that cannot close: three metres, and the rods have two
    await page.evaluate(() =>
      trammel.perform({
        do: "add-joint",
        joint: {
          kind: "pin",
          markers: [
            { body: "lower", at: [1, 0, 0] },
            { body: "ground", at: [3, 0, 0] },
          ],
        },
      }),
    );
    await page.locator(".toast.error", { hasText: "stays open" }).waitFor();
    assert.equal((await joints(page)).length, 2);
    const t = await time(page);
    await until(async () => (await time(page)) > t, "it goes on");
  });
});

test("what moves away stays in sight until a person moves the view", { skip, timeout: 180_000 }, async () => {
  await withPage("rolling-disk.yaml", async (page) => {
    // the coin runs around a circle five times as wide as itself
    await perform(page, { do: "speed", value: 2 });
    while ((await time(page)) < 5) {
      const seen = await onScreen(page, "coin", [0, 0, 0]);
      assert.ok(seen.visible, JSON.stringify(seen));
      await drawn(page);
    }
    const looked = () => page.evaluate(() => trammel.stage.controls.target.toArray());
    const stage = await page.locator("#stage").boundingBox();
    await page.mouse.move(stage.x + 0.4 * stage.width, stage.y + 0.8 * stage.height); // beside the tools
    await page.mouse.wheel(0, -100);
    await until(() => page.evaluate(() => !trammel.stage.fitted), "the view let go");
    await drawn(page);
    const before = await looked();
    const t = await time(page);
    await until(async () => (await time(page)) > t + 1, "another second of motion");
    assert.deepEqual(await looked(), before);
  });
});

test("two pages watch one run; it goes on when they are killed and reloaded", { skip, timeout: 180_000 }, async () => {
  const server = await view("double-four-bar.yaml");
  const [one, two] = [await open(server), await open(server)];
  await perform(one, { do: "set-gravity", value: [0, -1.62, 0] });
  await until(() => two.evaluate(() => trammel.model.scene.gravity[1] === -1.62), "the other page knows");
  const before = await time(two);
  await one.close();
  await two.reload();
  await two.waitForFunction(() => trammel.model && Number(document.body.dataset.t) > 0);
  assert.ok((await time(two)) > before, "the run went on");
  assert.equal(await two.evaluate(() => trammel.model.scene.gravity[1]), -1.62);
  await two.close();
  server.stop();
});

test("another model is opened from the list", { skip, timeout: 180_000 }, async () => {
  await withPage("double-pendulum.yaml", async (page) => {
    await page.locator("#models").click();
    await page.locator(".models .row", { hasText: "bricard.yaml" }).click();
    await until(() => page.evaluate(() => trammel.model.scene.bodies.length === 5), "Bricard's mechanism");
    await page.keyboard.press("a");
    await page.locator(".label.value", { hasText: "N" }).first().waitFor();
    await drawn(page);
    await shot(page, "live-bricard");
  });
});
