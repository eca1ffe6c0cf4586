// The live page with the engine behind it, for tests.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { after, before } from "node:test";
import { launch, noChromium, openPage } from "./browser.mjs";

export const program = resolve(process.env.TRAMMEL ?? "build/bin/trammel");
export const models = resolve(process.env.MODELS ?? "models");
export const skip = noChromium;
let browser;

before(async () => {
  if (!skip) browser = await launch();
});
after(() => browser?.close());
export const theBrowser = () => browser;

// `trammel view` on a free port; its address comes on the standard output.
export async function view(model) {
  const child = spawn(
    program,
    ["view", isAbsolute(model) ? model : join(models, model), "--port", "0", "--no-browser"],
    {
      stdio: ["ignore", "pipe", "inherit"],
      cwd: mkdtempSync(join(tmpdir(), "trammel-view-")), // the journal is written there
    },
  );
  let said = "";
  const url = await new Promise((done, fail) => {
    child.stdout.on("data", (text) => {
      said += text;
      const found = /http:\/\/\S+token=\S+/.exec(said);
      if (found) done(found[0]);
    });
    child.on("exit", (status) => fail(new Error(`trammel view ended with ${status}: ${said}`)));
  });
  return { url, child, stop: () => child.kill("SIGTERM") };
}

export async function open(server, options = {}) {
  const page = await openPage(browser, options);
  await page.goto(server.url);
  await page.waitForFunction(() => trammel.model && Number(document.body.dataset.t) >= 0);
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
};
export const joints = (page) => page.evaluate(() => trammel.model.scene.joints.map((j) => j.name));
export const time = (page) => page.evaluate(() => Number(document.body.dataset.t));
export const world = (page, body, at) =>
  page.evaluate(
    ([name, place]) =>
      trammel.picture.view.place({ body: name, at: place }, trammel.stage.controls.target.clone()).toArray(),
    [body, at],
  );
export const onScreen = (page, body, at) =>
  page.evaluate(
    ([name, place]) =>
      trammel.stage.project(
        trammel.picture.view.place({ body: name, at: place }, trammel.stage.controls.target.clone()),
      ),
    [body, at],
  );
export const paused = async (page) => {
  await perform(page, { do: "pause" });
  // and the page shows the step at which it stands
  await until(
    () => page.evaluate(() => trammel.status?.paused && Math.abs(trammel.now - trammel.status.t) < 1e-12),
    "paused",
  );
};

export async function withPage(model, act, options = {}) {
  const server = await view(model);
  const page = await open(server, options);
  try {
    await act(page, server);
    assert.deepEqual(page.problems, []);
  } finally {
    await page.close();
    server.stop();
  }
}
