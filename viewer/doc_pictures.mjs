// Pictures of docs/start.md and docs/robots.md: node doc_pictures.mjs (in viewer/, with TRAMMEL=path of the program). Their models
// run, the reports and the live page are opened in Chromium, and docs/images/start-*.jpg, robot-leg.jpg and view.jpg are written. Look at them.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { launch, openPage, seek } from "./tests/browser.mjs";

const program = resolve(process.env.TRAMMEL ?? "../build/bin/trammel");
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
  await view.evaluate(() => {
    document.activeElement.blur();
    scrollTo(0, 0);
  });
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

// The live page, with a mechanism that is being pulled.
async function live() {
  const args = ["view", resolve("../models/double-four-bar.yaml"), "--port", "0", "--no-browser"];
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"], cwd: folder });
  let said = "";
  for await (const text of child.stdout) {
    said += text;
    if (said.includes("token=")) break;
  }
  const view = await openPage(browser, { viewport: { width: 1280, height: 800 } });
  await view.goto(/http:\/\/\S+token=\S+/.exec(said)[0]);
  await view.waitForFunction(() => globalThis.trammel?.now > 2);
  const at = (body, place) =>
    view.evaluate(
      ([b, p]) =>
        trammel.stage.project(trammel.picture.view.place({ body: b, at: p }, trammel.stage.controls.target.clone())),
      [body, place],
    );
  const grip = await at("coupler2", [0.5, 0, 0]);
  await view.mouse.move(grip.x, grip.y);
  await view.mouse.down();
  await view.mouse.move(grip.x + 90, grip.y + 60, { steps: 8 });
  const before = await view.evaluate(() => trammel.now);
  await view.waitForFunction((t) => trammel.now > t + 0.3, before);
  await view.screenshot({ path: "../docs/images/view.jpg", type: "jpeg", quality: 80 });
  await view.close();
  child.kill("SIGTERM");
}

await robot();
await live();
await picture("pendulum", 0.036, 1120);
await picture("driven", 0.03, 1420);
await browser.close();
