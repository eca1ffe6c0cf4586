// Pictures of docs/start.md and docs/robots.md: node doc_pictures.mjs (in viewer/, with TRAMMEL=path of the program). Their models
// run, the reports are opened in Chromium, and docs/images/start-*.jpg and robot-leg.jpg are written. Look at them.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launch, openPage, seek } from "./tests/browser.mjs";

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
  await seek(view, at);
  await view.evaluate(() => scrollTo(0, 0));
  await view.waitForTimeout(1500);
  await view.screenshot({ path: `../docs/images/start-${name}.jpg`, type: "jpeg", quality: 78 });
  await view.close();
}

// The motion alone.
async function robot() {
  const out = join(folder, "leg");
  execFileSync(program, ["run", "../examples/robots/leg.urdf", "--out", out, "--duration", "0.1", "--quiet"]);
  const view = await openPage(browser, { viewport: { width: 900, height: 900 } });
  await view.goto(`file://${out}/report.html`);
  await view.locator(".plot canvas").first().waitFor();
  await view.waitForTimeout(1500);
  const path = "../docs/images/robot-leg.jpg";
  await view.locator(".replay .stage").screenshot({ path, type: "jpeg", quality: 80 });
  await view.close();
}

await robot();
await picture("pendulum", 0.036, 1000);
await picture("driven", 0.03, 1420);
await browser.close();
