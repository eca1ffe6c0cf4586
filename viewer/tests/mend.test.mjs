// What once was wrong on the live page, with the engine: each of these stays right.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openPage, shot } from "./browser.mjs";
import { open, paused, perform, program, skip, theBrowser, time, until, view, withPage } from "./engine.mjs";

const limit = { skip, timeout: 240_000 };
const bodies = (page) => page.evaluate(() => trammel.model.scene.bodies.length);
const type = async (page, path, text) => {
  const field = page.getByLabel(path, { exact: true });
  await field.fill(text);
  await field.press("Enter");
  return field;
};

test("a parameter's field changes what depends on it", limit, async () => {
  await withPage("andrews.yaml", async (page) => {
    const length = () =>
      page.evaluate(() => trammel.model.scene.points.find((p) => p.name === "F").on.find((m) => m.body === "K1").at[0]);
    assert.ok(Math.abs((await length()) - 7e-3) < 1e-12);
    await type(page, "parameters.rr", "6.9 mm");
    await until(async () => Math.abs((await length()) - 6.9e-3) < 1e-12, "a shorter crank");
  });
  await withPage("n-four-bar.yaml", async (page) => {
    assert.equal(await bodies(page), 81);
    const field = await type(page, "parameters.N", "3");
    await until(async () => (await bodies(page)) === 7, "seven bodies");
    for (const wrong of ["-1", "3.5"]) {
      await type(page, "parameters.N", wrong);
      await page.locator(".toast.error", { hasText: `N = ${wrong}` }).waitFor();
      await until(async () => (await field.inputValue()) === "3", "the old value");
    }
    assert.equal(await bodies(page), 7);
    await shot(page, "mend-n-four-bar");
  });
});

test("a motor on a double four-bar: reset, methods and the saved file", limit, async () => {
  await withPage("double-four-bar.yaml", async (page) => {
    await page.locator(".tree .row", { hasText: /^A0/ }).click();
    await page.getByTitle("Drive it").click();
    await page.getByLabel("What it does").selectOption("follow");
    await page.getByLabel("Expression of t").fill("3*t");
    await page.getByRole("dialog").getByRole("button", { name: "Add", exact: true }).click();
    await until(() => page.evaluate(() => trammel.model.scene.drivers.length === 1), "a driver");
    await perform(page, { do: "reset" });
    await until(async () => (await time(page)) > 0.5, "it runs");
    await until(
      () =>
        page.evaluate(
          () => Object.keys(trammel.model.choices.unfit ?? {}).length < trammel.model.choices.formulations.length / 2,
        ),
      "methods that fit",
    );
    await page.locator("#save").click();
    const [file] = await Promise.all([page.waitForEvent("download"), page.getByText("As at the start").click()]);
    const folder = mkdtempSync(join(tmpdir(), "trammel-saved-"));
    const path = join(folder, "saved.yaml");
    await file.saveAs(path);
    execFileSync(program, ["run", path, "--duration", "1", "--out", join(folder, "out")], { cwd: folder });
    assert.match(readFileSync(path, "utf8"), /3\*t/);
  });
});

test("after a failed step the remedy that is said is taken", limit, async () => {
  await withPage("double-four-bar.yaml", async (page) => {
    // at the start, so that it fails at the same step each time: 3.16 s
    await paused(page);
    await perform(page, { do: "reset" });
    await perform(page, { do: "set-plan", formulation: "lagrange" });
    await perform(page, { do: "speed", value: 10 });
    await perform(page, { do: "resume" });
    await page.locator(".toast.error", { hasText: "use augmented-lagrangian-index3" }).waitFor();
    await page.locator(".slow", { hasText: "step failed" }).waitFor();
    const t = await time(page);
    await page.locator("#choose-formulation").selectOption("augmented-lagrangian-index3");
    await until(
      () => page.evaluate(() => trammel.model.plan.formulation === "augmented-lagrangian-index3"),
      "the remedy",
    );
    await page.locator("#play").click();
    await until(async () => (await time(page)) > t + 0.2, "it goes on");
  });
});

test("the run waits for its first page; a program that hangs is announced", limit, async () => {
  const server = await view("double-pendulum.yaml");
  await new Promise((done) => setTimeout(done, 2500)); // nobody looks
  const page = await openPage(theBrowser());
  const times = []; // of the frames that come
  page.on("websocket", (socket) =>
    socket.on("framereceived", ({ payload }) => Buffer.isBuffer(payload) && times.push(payload.readDoubleLE(8))),
  );
  await page.goto(server.url);
  await until(() => times.length > 0, "a frame");
  assert.ok(times[0] < 2, `it began with the page: ${times[0]} s`);
  await page.waitForFunction(() => trammel.model && Number(document.body.dataset.t) > 0);
  // the token is neither in the address bar nor where scripts read it
  assert.equal(new URL(page.url()).search, "");
  assert.equal(await page.evaluate(() => document.cookie), "");
  server.child.kill("SIGSTOP");
  await page.locator(".lost", { hasText: "does not answer" }).waitFor();
  await shot(page, "mend-hung");
  server.child.kill("SIGCONT");
  await until(async () => !(await page.locator(".lost").isVisible()), "it answers again");
  assert.deepEqual(page.problems, []);
  await page.close();
  server.stop();
});

test("fields follow another page's edit, also beside one that is typed in", limit, async () => {
  const server = await view("double-pendulum.yaml");
  const [one, two] = [await open(server), await open(server)];
  for (const page of [one, two]) await page.locator(".tree .row", { hasText: "upper" }).click();
  const mass = one.getByLabel("bodies.upper.mass");
  await one.getByLabel("bodies.upper.length").fill("1.5");
  await perform(two, { do: "set-value", path: "bodies.upper.mass", value: 3 });
  await until(async () => (await mass.inputValue()) === "3", "the other page's mass");
  assert.equal(await one.getByLabel("bodies.upper.length").inputValue(), "1.5");
  for (const page of [one, two]) await page.close();
  server.stop();
});

test(
  "stops, tolerance and velocities at the start are edited; stops are drawn where the joint meets them",
  limit,
  async () => {
    await withPage("end-stops.yaml", async (page) => {
      await paused(page);
      await shot(page, "mend-end-stops");
      const { joint, stop } = await page.evaluate(() => {
        const [first] = trammel.model.scene.stops;
        return { joint: first.joint, stop: first.name };
      });
      await page.locator(".tree .row", { hasText: new RegExp(`^${joint}`) }).click();
      await page
        .getByLabel(new RegExp(`^stops\\.${stop}\\.(upper|lower)$`))
        .first()
        .waitFor();
      await type(page, `stops.${stop}.restitution`, "0.3");
      await until(
        () =>
          page.evaluate(
            (s) => trammel.model.numbers.find((n) => n.path === `stops.${s}.restitution`).value === 0.3,
            stop,
          ),
        "another restitution",
      );
      assert.equal(await page.evaluate(() => trammel.picture.view.stops.waiting.length), 0, "all stops are drawn");
    });
    await withPage("double-pendulum.yaml", async (page) => {
      await page.locator(".tree .row", { hasText: "upper" }).click();
      await page.getByText("At the start").click();
      await type(page, "bodies.upper.angular-velocity.z", "60 rpm");
      await page.locator(".toast", { hasText: "counts at the start" }).waitFor();
      await paused(page);
      await perform(page, { do: "reset" });
      await until(
        () =>
          page.evaluate(
            () => trammel.now === 0 && Math.abs(trammel.history.latest("upper.omega") - 2 * Math.PI) < 1e-6,
          ),
        "60 rpm at the start",
      );
    });
  },
);
