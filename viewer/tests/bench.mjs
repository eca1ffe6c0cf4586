// Prints the page's work per frame for mechanisms of growing size, measured in the browser.
//   node tests/bench.mjs        (or: npm run bench)
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { launch, noChromium } from "./browser.mjs";

const LIMIT = 4; // ms a frame with 200 bodies: a quarter of what 60 frames a second leave
const here = dirname(fileURLToPath(import.meta.url));

if (noChromium) {
  console.log(noChromium);
  process.exit(0);
}
const bundle = await build({
  entryPoints: [join(here, "bench_page.ts")],
  bundle: true,
  write: false,
  format: "iife",
  minify: true,
});
const browser = await launch();
const page = await browser.newPage();
await page.setContent("<!doctype html><title>bench</title>");
await page.addScriptTag({ content: bundle.outputFiles[0].text });
console.log("bodies    mean ms  95 % ms  largest ms   (decode, signals and scene of one frame)");
for (const bodies of [10, 50, 200, 500]) {
  await page.evaluate((n) => measure(n, 120), bodies); // warm up
  const { mean, p95, largest } = await page.evaluate((n) => measure(n, 600), bodies);
  const verdict = bodies === 200 ? (mean < LIMIT ? `  under ${LIMIT} ms` : `  ABOVE ${LIMIT} ms`) : "";
  console.log(
    `${String(bodies).padStart(6)}${mean.toFixed(3).padStart(11)}${p95.toFixed(3).padStart(9)}${largest.toFixed(3).padStart(12)}${verdict}`,
  );
}
await browser.close();
