// Pictures of docs/start.md: node pictures.mjs (in viewer/, with TRAMMEL=path of the program). Its models run, their reports
// are opened in Chromium, and docs/images/start-*.jpg are written. Look at them.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launch, openPage } from "./tests/browser.mjs";

const program = process.env.TRAMMEL ?? "../build/bin/trammel";
const page = readFileSync("../docs/start.md", "utf8");
const folder = mkdtempSync(join(tmpdir(), "trammel-pictures-"));

function report(name) {
  const text = page.match(new RegExp(`<!-- file: ${name}.yaml -->\n\`\`\`yaml\n([^]*?)\n\`\`\``))[1];
  writeFileSync(join(folder, `${name}.yaml`), text);
  execFileSync(program, ["run", join(folder, `${name}.yaml`), "--out", join(folder, name), "--quiet"]);
  return `file://${folder}/${name}/report.html`;
}

const browser = await launch();

async function picture(name, at, height) {
  const view = await openPage(browser, { viewport: { width: 1100, height } });
  await view.goto(report(name));
  await view.locator(".plot canvas").first().waitFor();
  await view
    .locator("input[type=range]")
    .first()
    .evaluate((slider, t) => {
      slider.value = String(t);
      slider.dispatchEvent(new Event("input"));
    }, at);
  await view.waitForTimeout(1500);
  await view.screenshot({ path: `../docs/images/start-${name}.jpg`, type: "jpeg", quality: 78 });
  await view.close();
}

await picture("pendulum", 0.18, 1000);
await picture("driven", 0.15, 1420);
await browser.close();
