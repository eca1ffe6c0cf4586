// Chromium without a window, as the tests use it. Software rendering: pixels can be judged, frame rates not.
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";

export const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
export const hasChromium = existsSync(CHROMIUM);
export const noChromium = hasChromium ? false : `no browser at ${CHROMIUM}: install chromium, or set CHROMIUM`;

// Where pictures are kept, to be looked at.
export const shots = process.env.SCREENSHOTS ?? "build/screenshots";
mkdirSync(shots, { recursive: true });

export const launch = () =>
  chromium.launch({
    executablePath: CHROMIUM,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--enable-unsafe-swiftshader",
      "--disable-features=LocalNetworkAccessChecks", // of a page that a test gives in place of the program's
    ],
  });

// A page whose errors fail the test that opened it.
export async function openPage(browser, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...options });
  page.problems = [];
  page.on("pageerror", (error) => page.problems.push(String(error)));
  page.on("console", (message) => message.type() === "error" && page.problems.push(message.text()));
  return page;
}

export const shot = (page, name, options = {}) => page.screenshot({ path: join(shots, `${name}.png`), ...options });

// Until what was asked for is drawn: two frames of the browser.
export const drawn = (page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

// Moves a report's replay to a part of its duration, as a click on the timeline does.
export async function seek(page, share) {
  const track = page.locator(".replay .timeline .track");
  await track.scrollIntoViewIfNeeded();
  const { x, y, width, height } = await track.boundingBox();
  await page.mouse.click(x + share * width, y + height / 2);
  await drawn(page);
}
