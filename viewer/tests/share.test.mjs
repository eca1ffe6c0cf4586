// A model and its motion for others: one file that needs no program, and pages on other machines that only watch.
import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { drawn, openPage, shot } from "./browser.mjs";
import { models, open, perform, skip, theBrowser, until, view } from "./board.mjs";
import { colours, pixels } from "./pixels.mjs";

const timeout = 120_000;
const LINKS = ["#4f83c9", "#e09f3e", "#3a9d8c"];

test("one HTML file has the model, its motion and the view of the one who saved it", { skip, timeout }, async () => {
  const server = await view([join(models, "four-bar.yaml")]);
  const page = await open(server);
  try {
    await until(() => page.evaluate(() => trammel.model), "a model");
    await perform(page, { do: "pause" });
    // another view than the usual one, arrows, one curve
    await page.locator("#arrows").click();
    const stage = await page.locator("#stage").boundingBox();
    await page.mouse.move(stage.x + 0.5 * stage.width, stage.y + 0.75 * stage.height);
    await page.mouse.wheel(0, 200);
    await until(() => page.evaluate(() => !trammel.stage.fitted), "a view of one's own");
    const seen = await page.evaluate(() => trammel.stage.viewpoint);
    await page.locator("#save").click();
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.locator("dialog .row", { hasText: "A page to share" }).click(),
    ]);
    const path = join(mkdtempSync(join(tmpdir(), "trammel-shared-")), "shared.html");
    await file.saveAs(path);
    assert.deepEqual(page.problems, []);
    await page.close();
    server.stop();

    const other = await openPage(theBrowser());
    await other.goto(`file://${path}`);
    await other.locator(".plot canvas").first().waitFor();
    await until(async () => {
      const found = colours(await pixels(other, other.locator(".replay .stage")), LINKS);
      return Object.values(found).every((count) => count > 100);
    }, "every link");
    const kept = await other.evaluate(() => JSON.parse(document.getElementById("shared").textContent).view);
    assert.deepEqual(kept, seen);
    await other.locator(".replay .legend", { hasText: "N" }).waitFor(); // the arrows' scale
    assert.match(await other.locator("pre").innerText(), /rod: /); // the model
    await other.getByRole("slider", { name: "Time" }).press("End");
    await drawn(other);
    await shot(other, "share-file");
    assert.deepEqual(other.problems, []);
    await other.close();
  } finally {
    server.stop();
  }
});

test("--share: another machine sees everything and can change nothing", { skip, timeout }, async () => {
  const server = await view([join(models, "double-pendulum.yaml"), "--share"]);
  const owner = await open(server);
  await until(() => owner.evaluate(() => trammel.model), "a model");
  // what the program says about it, and the address that it prints for others
  assert.match(server.said(), /watch/i);
  const addresses = [...server.said().matchAll(/http:\/\/\S+token=\S+/g)].map(([url]) => url);
  const [own, ...shared] = addresses;
  assert.ok(shared.length > 0, server.said());
  const token = (url) => new URL(url).searchParams.get("token");
  assert.notEqual(token(shared[0]), token(own));
  const page = await openPage(theBrowser());
  await page.goto(shared[0]);
  await page.waitForFunction(() => globalThis.trammel?.model && Number(document.body.dataset.t) > 0);
  await page.locator(".toast", { hasText: "You are watching" }).waitFor();
  for (const id of ["play", "reset", "step", "undo", "connect", "new-body"])
    assert.equal(await page.locator(`#${id}`).isVisible(), false, id);
  assert.equal(await page.locator(".toolbox").isVisible(), false);
  // curves, text and journal are read; whatever else is sent is refused
  for (const command of [{ do: "text" }, { do: "journal" }, { do: "history", signals: ["energy.kinetic"], from: 0 }])
    if (command.do !== "history") assert.ok((await page.evaluate((c) => trammel.send(c), command)).ok, command.do);
  for (const command of [
    { do: "pause" },
    { do: "reset" },
    { do: "set-gravity", value: [0, 0, 0] },
    { do: "pull", name: "x", body: "lower", at: [0, 0, 0], target: [1, 1, 0] },
    { do: "save", path: "stolen.yaml" },
    { do: "open-model", path: "bricard.yaml" },
  ]) {
    const reply = await page.evaluate((c) => trammel.send(c), command);
    assert.equal(reply.ok, false, command.do);
    assert.match(reply.error, /only watches/);
  }
  const t = await owner.evaluate(() => trammel.now);
  await until(() => owner.evaluate((before) => trammel.now > before, t), "the run went on");
  assert.equal(await owner.evaluate(() => trammel.model.scene.gravity[1]), -9.81);
  await shot(page, "share-watching");
  // without --share there is no address for others, and no other name is answered
  const alone = await view([join(models, "double-pendulum.yaml")]);
  assert.equal([...alone.said().matchAll(/token=/g)].length, 1);
  alone.stop();
  await page.close();
  await owner.close();
  server.stop();
});
