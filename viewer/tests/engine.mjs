// `trammel view` for tests: started on a free port, its page opened, and what they ask of both.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { openPage } from "./browser.mjs";

export const program = resolve(process.env.TRAMMEL ?? "build/bin/trammel");
export const models = resolve(process.env.MODELS ?? "models");

// Its address comes on the standard output. Everything that it writes goes to a folder of its own.
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

export async function open(browser, server, options = {}) {
  const page = await openPage(browser, options);
  // PAGE=dist/live.html: the page as it was built last, instead of the one in the program
  if (process.env.PAGE) await page.route(/\/\?token=/, (route) => route.fulfill({ path: process.env.PAGE }));
  await page.goto(server.url);
  await page.waitForFunction(() => globalThis.trammel);
  return page;
}

export const until = async (condition, what) => {
  for (let i = 0; i < 1200; ++i) {
    const value = await condition();
    if (value) return value;
    await new Promise((done) => setTimeout(done, 25));
  }
  return assert.fail(`${what}: not within half a minute`);
};

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
