// Pictures of replays, for the gallery: `node gallery_pictures.mjs < list`, a JSON list of {report, picture, at, view}.
// `at` is a part of the duration; `view` one of front, top, side, iso.
import { readFileSync } from "node:fs";
import { hasChromium, launch, noChromium, openPage, seek } from "./tests/browser.mjs";

if (!hasChromium) {
  console.error(noChromium);
  process.exit(1);
}
const browser = await launch();
const page = await openPage(browser, { viewport: { width: 720, height: 500 }, deviceScaleFactor: 1.5 });
for (const { report, picture, at, view } of JSON.parse(readFileSync(0, "utf8"))) {
  await page.goto("about:blank");
  await page.goto(`file://${report}#replay`);
  await page.locator(".replay .timeline .track").waitFor();
  if (view) await page.getByRole("button", { name: view, exact: true }).click();
  await seek(page, at);
  // The view moves to its place, and a frame is drawn.
  await page.waitForTimeout(view ? 900 : 300);
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  await page.locator(".replay .stage").screenshot({ path: picture });
}
const problems = page.problems;
await browser.close();
if (problems.length) {
  console.error(problems.join("\n"));
  process.exit(1);
}
