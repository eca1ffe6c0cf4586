// As a new user would: draw a crank-rocker, motor it, read the force of a pin, export. Every click, stroke, key and
// typed value counts; 25 are allowed.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { shot } from "./browser.mjs";
import { open, pixel, skip, until, view } from "./board.mjs";

const MOST = 25;

// The only hands of this test: each call is one action.
class Hands {
  actions = 0;
  constructor(page) {
    this.page = page;
  }
  async click(target) {
    ++this.actions;
    await target.click();
  }
  async clickAt(x, y) {
    ++this.actions;
    const p = await pixel(this.page, x, y);
    await this.page.mouse.move(p.x, p.y, { steps: 3 });
    await this.page.mouse.click(p.x, p.y);
  }
  async press(key) {
    ++this.actions;
    await this.page.keyboard.press(key);
  }
  async type(text) {
    ++this.actions;
    await this.page.keyboard.type(text);
    await this.page.keyboard.press("Enter");
  }
}

test(
  `a crank-rocker in at most ${MOST} actions, from an empty sheet to files`,
  { skip, timeout: 240_000 },
  async () => {
    const server = await view([]);
    const page = await open(server, { acceptDownloads: true });
    const hands = new Hands(page);
    const bodies = () => page.evaluate(() => trammel.model?.scene.bodies.length ?? 0);
    const revision = () => page.evaluate(() => trammel.model?.revision ?? 0);
    try {
      await hands.click(page.locator("#new-plane"));
      // crank, coupler and rocker in one chain
      for (const [k, place] of [
        [-0.6, -0.4],
        [-0.6, 0],
        [0.2, 0.6],
        [0.4, -0.4],
      ].entries()) {
        await hands.clickAt(...place);
        await until(async () => (await bodies()) === k, `${k} links`);
      }
      await hands.click(page.locator("#tool-ground"));
      for (const place of [
        [-0.6, -0.4],
        [0.4, -0.4],
      ]) {
        const before = await revision();
        await hands.clickAt(...place);
        await until(async () => (await revision()) !== before, "grounded");
      }
      await hands.click(page.locator("#tool-motor"));
      await hands.clickAt(-0.6, -0.4);
      await page.getByRole("textbox", { name: "speed" }).waitFor();
      await hands.type("45 rpm");
      await until(() => page.evaluate(() => trammel.model.scene.drivers[0]?.equals[0] !== undefined), "a motor");
      await hands.press("Escape");
      await hands.click(page.locator("#play"));
      await until(() => page.evaluate(() => Number(document.body.dataset.t) > 0.4), "it runs");
      // the force of the pin between crank and coupler
      await hands.click(page.locator(".tree .row", { hasText: /^B/ }).first());
      const reading = page.locator(".reading", { hasText: "force.x" }).locator("output");
      await until(async () => Math.abs(Number(await reading.innerText())) > 0, "a force in newtons");
      await shot(page, "new-user");
      const download = page.waitForEvent("download");
      await hands.click(page.locator("#save"));
      await hands.click(page.locator("dialog .row", { hasText: "As at the start" }));
      const file = await (await download).path();
      assert.match(readFileSync(file, "utf8"), /rod: \[A, B\]/);
      const video = page.waitForEvent("download");
      await hands.click(page.locator("#save-video"));
      await hands.click(page.getByRole("button", { name: "Record", exact: true }));
      const webm = readFileSync(await (await video).path());
      assert.equal(webm.readUInt32BE(0), 0x1a45dfa3); // EBML: how a WebM begins
      assert.ok(webm.length > 5000, `${webm.length} bytes`);
      assert.ok(hands.actions <= MOST, `${hands.actions} actions`);
      console.log(`# ${hands.actions} actions`);
      assert.deepEqual(page.problems, []);
    } finally {
      await page.close();
      server.stop();
    }
  },
);
