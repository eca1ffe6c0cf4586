// What the live page does by itself, against a server without mechanics: it draws what it is told, sends what a
// person does, shows refusals, and comes back after a lost connection.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { drawn, launch, noChromium, openPage, shot } from "./browser.mjs";
import { FakeServer } from "./fake_server.mjs";
import { centre, colours, pixels } from "./pixels.mjs";

const html = join(process.env.PAGES ?? "build/viewer", "live.html");
const UPPER = "#4f83c9";
const LOWER = "#e09f3e";
const STILL = 40; // step at which the bars stand still: both are seen well, far from the edges and from each other
const skip = noChromium;
let browser;

before(async () => {
  if (!skip) browser = await launch();
});
after(() => browser?.close());

async function open(options = {}) {
  const server = new FakeServer();
  const page = await openPage(browser, options);
  await server.serve(page, html);
  await page.goto("http://trammel.test/?token=secret");
  await page.locator(".tree .row", { hasText: "upper" }).waitFor({ state: "attached" });
  await page.waitForFunction(() => Number(document.body.dataset.t) > 0);
  return { page, server };
}

// A test with a page of its own, which is closed whatever happens: a server left running would keep the tests alive.
function scenario(name, act, options) {
  test(name, { skip, timeout: 120_000 }, async () => {
    const run = await open(options);
    try {
      await act(run);
      assert.deepEqual(run.page.problems, []);
    } finally {
      run.server.stop();
      await run.page.close();
    }
  });
}

// Where a place of a body is on the screen now.
const onScreen = (page, body, at) =>
  page.evaluate(
    ([name, place]) => {
      const { stage, picture } = trammel;
      return stage.project(picture.view.place({ body: name, at: place }, stage.controls.target.clone()));
    },
    [body, at],
  );

// The page shows one frame, always the same, and no other comes.
const standStill = async (page, server, how = "paused") => {
  server[how] = true;
  server.step = server.end = STILL;
  await page.waitForFunction((t) => Number(document.body.dataset.t) === t, server.t);
};

const until = async (condition, what) => {
  for (let i = 0; i < 1200; ++i) {
    if (await condition()) return;
    await new Promise((done) => setTimeout(done, 25));
  }
  assert.fail(`${what}: not within half a minute`);
};

scenario("both bars are seen where the frames put them", async ({ page, server }) => {
  await standStill(page, server);
  const stage = page.locator("#stage");
  const box = await stage.boundingBox();
  await page.keyboard.press("t"); // traces have the colour of their body
  await drawn(page);
  const image = await pixels(page, stage);
  for (const [body, colour] of [
    ["upper", UPPER],
    ["lower", LOWER],
  ]) {
    const seen = centre(image, colour);
    const wanted = await onScreen(page, body, [0.5, 0, 0]);
    assert.ok(seen.n > 300, `${body} covers ${seen.n} pixels`);
    // other blue things (buttons) shift the middle of the upper bar a little
    assert.ok(
      Math.hypot(seen.x + box.x - wanted.x, seen.y + box.y - wanted.y) < 25,
      `${body}: ${JSON.stringify({ seen, wanted, box })}`,
    );
  }
  await shot(page, "page-double-pendulum");
});

// While it is paused, a drag moves the body with its joints held.
scenario("a drag pulls the body at the point that was gripped, towards the mouse", async ({ page, server }) => {
  await standStill(page, server, "still");
  const grip = await onScreen(page, "lower", [0.8, 0, 0]);
  await page.mouse.move(grip.x, grip.y);
  await page.mouse.down();
  await page.mouse.move(grip.x + 60, grip.y - 40, { steps: 4 });
  await until(() => server.last("pull"), "a pull");
  await until(() => {
    const pull = server.last("pull");
    return Math.abs(pull.at[0] - 0.8) < 0.05 && Math.abs(pull.at[1]) < 0.05;
  }, "the point that was gripped");
  const end0 = await page.evaluate(
    ([x, y]) => trammel.stage.onPlane(x, y, trammel.stage.controls.target.clone().set(0, 0, 0)).toArray(),
    [grip.x + 60, grip.y - 40],
  );
  await until(
    () => Math.hypot(...server.last("pull").target.map((x, k) => x - end0[k])) < 1e-6,
    "the last target is where the mouse is",
  );
  const image = await pixels(page, page.locator("#stage"));
  assert.ok(colours(image, ["#e8590c"], 6)["#e8590c"] > 100, "the elastic line is drawn");
  await shot(page, "page-pull");
  await page.mouse.up();
  await until(() => server.last("release"), "a release");
  assert.equal(server.last("release").name, server.last("pull").name);
});

scenario("selection goes both ways; numbers are edited in place; refusals are said", async ({ page, server }) => {
  await page.locator(".tree .row", { hasText: "lower" }).click();
  assert.equal(await page.locator("#inspector h3").innerText(), "lower");
  await standStill(page, server);
  const place = await onScreen(page, "upper", [0.5, 0, 0]);
  await page.mouse.click(place.x, place.y);
  assert.match(await page.locator(".tree .row.selected").innerText(), /upper/);
  const mass = page.getByLabel("bodies.upper.mass");
  await mass.fill("2.5");
  await mass.press("Enter");
  await until(() => server.last("set-value"), "an edit");
  assert.deepEqual([server.last("set-value").path, server.last("set-value").value], ["bodies.upper.mass", 2.5]);
  await mass.fill("500 g");
  await mass.press("Enter");
  await until(() => server.last("set-value").value === "500 g", "what was typed");
  server.refuse["set-value"] = "a mass must be positive; give a number above 0";
  await mass.fill("-1");
  await mass.press("Enter");
  await page.locator(".toast.error", { hasText: "must be positive" }).waitFor();
  assert.equal(await mass.inputValue(), "1");
  assert.match(await page.locator("#log").innerText(), /must be positive/);
});

scenario("keys: pause, step, reset, delete, undo", async ({ page, server }) => {
  await page.keyboard.press("Space");
  await until(() => server.paused, "paused");
  await page.keyboard.press(".");
  await page.keyboard.press("r");
  await page.locator(".tree .row", { hasText: /^A/ }).click();
  await page.keyboard.press("Delete");
  await until(() => server.last("remove-joint"), "a joint removed");
  assert.equal(server.last("remove-joint").name, "A");
  await until(async () => (await page.locator(".tree .row", { hasText: /^A/ }).count()) === 0, "gone from the tree");
  await page.keyboard.press("Control+z");
  await until(() => server.last("undo"), "undo");
  for (const name of ["step", "reset"]) assert.ok(server.last(name), name);
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Help" }).waitFor();
  await shot(page, "page-help");
});

scenario("two picked points become a joint in body axes", async ({ page, server }) => {
  await standStill(page, server);
  await page.keyboard.press("j");
  const tip = await onScreen(page, "lower", [1, 0, 0]);
  await page.mouse.click(tip.x + 3, tip.y + 2); // near the end: it snaps
  const empty = await onScreen(page, "ground", [1.2, -0.4, 0]);
  await page.mouse.click(empty.x, empty.y);
  await page.locator("#connect-kind").selectOption("distance");
  await shot(page, "page-connect");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await until(() => server.last("add-joint"), "a joint");
  const { joint } = server.last("add-joint");
  assert.equal(joint.kind, "distance");
  assert.deepEqual(joint.markers[0], { body: "lower", at: [1, 0, 0] });
  assert.equal(joint.markers[1].body, "ground");
  assert.ok(Math.hypot(joint.markers[1].at[0] - 1.2, joint.markers[1].at[1] + 0.4) < 0.02, JSON.stringify(joint));
});

scenario("a motor, a force and a body are added from their dialogs", async ({ page, server }) => {
  const add = () => page.getByRole("dialog").getByRole("button", { name: "Add", exact: true }).click();
  await page.locator(".tree .row", { hasText: /^O/ }).click();
  await page.getByTitle("Drive it").click();
  await page.getByLabel("What it does").selectOption("follow");
  await page.getByLabel("Expression of t").fill("2*t");
  await add();
  await until(() => server.last("add-driver"), "a driver");
  assert.deepEqual(server.last("add-driver").driver, { kind: "joint", of: "O", equals: ["2*t"] });
  await page.locator(".tree .row", { hasText: "lower" }).click();
  await page.getByTitle("Put a force on it").click();
  await page.getByLabel("Force along x").fill("5*cos(t)");
  await add();
  await until(() => server.last("add-force"), "a force");
  const { force } = server.last("add-force");
  assert.deepEqual(force, { kind: "force", at: { body: "lower", at: [0.5, 0, 0] }, components: ["5*cos(t)", "0"] });
  await page.getByTitle("New body").click();
  await page.getByLabel("Kind", { exact: true }).selectOption("rigid");
  await page.getByLabel("Mass", { exact: true }).fill("2");
  await page.getByLabel("Length", { exact: true }).fill("4");
  await add();
  await until(() => server.last("add-body"), "a body");
  const { body } = server.last("add-body");
  // a slab of 4 m by 1 m: I = m (4² + 1²)/12
  assert.ok(Math.abs(body.inertia - (2 * 17) / 12) < 1e-12, String(body.inertia));
});

scenario("another formulation is asked for", async ({ page, server }) => {
  await page.locator("#choose-formulation").selectOption("lagrange");
  await until(() => server.last("set-plan"), "a plan");
  assert.equal(server.last("set-plan").formulation, "lagrange");
});

scenario("plots draw what is subscribed and are exported", async ({ page, server }) => {
  await until(() => server.plotted.includes("energy.kinetic"), "energy asked for");
  const plot = page.locator(".plot", { has: page.locator('[title="energy.kinetic"]') });
  const curve = async () => colours(await pixels(page, plot.locator("canvas")), ["#1f6fd1"])["#1f6fd1"];
  await until(async () => (await curve()) > 60, "a curve of sixty pixels");
  await page.locator("#add-plot").click();
  await page.getByRole("searchbox", { name: "Search signals" }).fill("upper.y");
  await page.locator(".picker-list label").first().click();
  await page.keyboard.press("Escape");
  await until(() => server.plotted.includes("upper.y"), "upper.y asked for");
  await plot.hover();
  const [csv] = await Promise.all([page.waitForEvent("download"), plot.getByTitle("Save as CSV").click()]);
  assert.equal(csv.suggestedFilename(), "energy.kinetic.csv");
  const [png] = await Promise.all([page.waitForEvent("download"), plot.getByTitle("Save as PNG").click()]);
  assert.equal(png.suggestedFilename(), "energy.kinetic.png");
});

scenario("a lost connection comes back by itself, and nothing is shown twice", async ({ page, server }) => {
  for (const socket of server.sockets) socket.close();
  await page.locator(".lost").waitFor();
  await until(async () => !(await page.locator(".lost").isVisible()), "reconnected");
  await until(() => server.sockets.size === 1, "one connection");
  const t = server.t;
  await page.waitForFunction((before) => Number(document.body.dataset.t) > before, t);
  assert.equal(await page.locator(".tree .row", { hasText: "upper" }).count(), 1);
  assert.equal(await page.locator(".plot").count(), 3);
});

scenario("a frame that is none is said and changes nothing", async ({ page, server }) => {
  for (const socket of server.sockets) socket.send(Buffer.from("rubbish"));
  await page.locator(".toast.error", { hasText: "another kind" }).waitFor();
  for (const socket of server.sockets) socket.send(server.frame().subarray(0, -4));
  await page.locator(".toast.error", { hasText: "bytes instead of" }).waitFor();
  const t = server.t;
  await page.waitForFunction((before) => Number(document.body.dataset.t) > before, t);
});

scenario(
  "readable on a phone and in the dark",
  async ({ page }) => {
    await page.getByRole("button", { name: "Model", exact: true }).tap();
    await shot(page, "page-phone-model");
    await page.getByRole("button", { name: "Curves" }).tap();
    await drawn(page);
    await shot(page, "page-phone");
    // nothing is wider than the screen
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  },
  {
    viewport: { width: 390, height: 780 },
    hasTouch: true,
    isMobile: true,
    colorScheme: "dark",
  },
);
