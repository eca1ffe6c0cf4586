// The drawing board for tests: `trammel view` in a folder of its own, with or without a model.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPage } from "./browser.mjs";
import { program, theBrowser } from "./engine.mjs";

export { models, program, skip, theBrowser, until } from "./engine.mjs";

// Everything that it writes goes to the folder.
export async function view(args, folder = mkdtempSync(join(tmpdir(), "trammel-view-"))) {
  const child = spawn(program, ["view", ...args, "--port", "0", "--no-browser"], {
    stdio: ["ignore", "pipe", "inherit"],
    cwd: folder,
    env: { ...process.env, XDG_STATE_HOME: join(folder, "state") },
  });
  let said = "";
  const url = await new Promise((done, fail) => {
    child.stdout.on("data", (text) => {
      said += text;
      const found = /http:\/\/\S+token=\S+/.exec(said);
      if (found) done(found[0]);
    });
    child.on("exit", (status) => fail(new Error(`trammel view ended with ${status}: ${said}`)));
  });
  return { url, folder, said: () => said, stop: () => child.kill("SIGTERM") };
}

export async function open(server, options = {}) {
  const page = await openPage(theBrowser(), options);
  // PAGE=dist/live.html: the page as it was built last, instead of the one in the program
  if (process.env.PAGE)
    await page.route(/\/\?token=/, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ headers: { "set-cookie": response.headers()["set-cookie"] }, path: process.env.PAGE });
    });
  await page.goto(server.url);
  await page.waitForFunction(() => globalThis.trammel);
  return page;
}

// A command that must be carried out.
export const perform = async (page, command) => {
  const reply = await page.evaluate((c) => trammel.perform(c), command);
  assert.ok(reply.ok, `${command.do}: ${reply.error}`);
  return reply;
};

// Pixels of a place of the plane.
export const pixel = (page, x, y, z = 0) =>
  page.evaluate((p) => trammel.stage.project(trammel.stage.controls.target.clone().set(...p)), [x, y, z]);

export const modelText = async (page) => (await page.evaluate(() => trammel.send({ do: "text" }))).yaml;
