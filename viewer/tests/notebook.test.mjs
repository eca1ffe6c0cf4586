// A result in a notebook: the report stands in a frame of the page, the mechanism is drawn there, and the replay moves it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, noChromium, openPage, shot } from "./browser.mjs";
import { colours, pixels } from "./pixels.mjs";

const skip = noChromium;
let browser;

before(async () => {
  if (!skip) browser = await launch();
});
after(() => browser?.close());

// A notebook of one cell, executed and made a page as a person does.
const program = `
import os, sys
import nbformat
from nbconvert import HTMLExporter
from nbconvert.preprocessors import ExecutePreprocessor

code = 'import trammel as tr; tr.load(os.environ["MODELS"] + "/double-four-bar.yaml").run(duration=2, tolerance=1e-8)'
notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("import os; " + code)])
ExecutePreprocessor(kernel_name="python3").preprocess(notebook)
open(sys.argv[1], "w").write(HTMLExporter().from_notebook_node(notebook)[0])
`;

test("the report in a notebook draws and replays", { skip, timeout: 180_000 }, async () => {
  const file = join(mkdtempSync(join(tmpdir(), "trammel-notebook-")), "notebook.html");
  execFileSync("/usr/bin/python3", ["-c", program, file], { stdio: ["ignore", "ignore", "inherit"] });
  const page = await openPage(browser);
  await page.goto(`file://${file}`, { waitUntil: "domcontentloaded" });
  const frame = page.frameLocator("iframe");
  const stage = frame.locator(".replay .stage");
  await stage.scrollIntoViewIfNeeded();
  const links = ["#4f83c9", "#e09f3e", "#3a9d8c", "#cf5f54", "#8a76c8"];
  let seen = {};
  for (let i = 0; i < 100; ++i) {
    seen = colours(await pixels(page, stage), links);
    if (Object.values(seen).every((count) => count > 200)) break;
  }
  for (const [colour, count] of Object.entries(seen)) assert.ok(count > 200, `${colour} covers ${count} pixels`);
  assert.ok((await frame.locator(".plot canvas").count()) >= 5);
  await frame.getByTitle("Play or pause").click();
  await frame.locator(".clock", { hasText: "2.000 s" }).waitFor();
  await shot(page, "notebook");
  // What the notebook's own page asks of the network, as its formulas, is no concern of the report.
  assert.deepEqual(
    page.problems.filter((problem) => !/net::|Failed to load resource|require/.test(problem)),
    [],
  );
  await page.close();
});
