// The live page for everybody: names and roles, the keyboard, room for fingers, contrast; and messages that do not flood it.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { drawn, launch, noChromium, openPage, shot } from "./browser.mjs";
import { FakeServer } from "./fake_server.mjs";

const html = join(process.env.PAGES ?? "build/viewer", "live.html");
const skip = noChromium;
let browser;

before(async () => {
  if (!skip) browser = await launch();
});
after(() => browser?.close());

function scenario(name, act, options) {
  test(name, { skip, timeout: 120_000 }, async () => {
    const server = new FakeServer();
    const page = await openPage(browser, options);
    try {
      await server.serve(page, html);
      await page.goto("http://trammel.test/?token=secret");
      await page.waitForFunction(() => Number(document.body.dataset.t) > 0);
      await act({ page, server });
      assert.deepEqual(page.problems, []);
    } finally {
      server.stop();
      await page.close();
    }
  });
}

// Every text that is seen, with the contrast of its colour to what is behind it (WCAG 2.1, 1.4.3).
const contrasts = (page) =>
  page.evaluate(() => {
    const channel = (c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
    const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
    const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    const rgba = (text) => {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = text;
      canvas.fillRect(0, 0, 1, 1);
      return canvas.getImageData(0, 0, 1, 1).data;
    };
    const behind = (element) => {
      for (let e = element; e; e = e.parentElement) {
        const [r, g, b, a] = rgba(getComputedStyle(e).backgroundColor);
        if (a > 250) return [r, g, b];
        if (e.id === "stage") return rgba(getComputedStyle(document.documentElement).getPropertyValue("--stage"));
      }
      return [255, 255, 255];
    };
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = [];
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      const element = node.parentElement;
      if (!node.textContent.trim() || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
        continue;
      if (element.closest("script, style, option, [disabled]")) continue;
      const style = getComputedStyle(element);
      const [a, b] = [luminance(rgba(style.color)), luminance(behind(element))].sort((x, y) => y - x);
      const size = parseFloat(style.fontSize);
      const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
      found.push({
        text: node.textContent.trim().slice(0, 30),
        ratio: (a + 0.05) / (b + 0.05),
        needed: large ? 3 : 4.5,
      });
    }
    return found;
  });

for (const colorScheme of ["light", "dark"])
  scenario(
    `all text has the contrast of AA, ${colorScheme}`,
    async ({ page, server }) => {
      await page.locator(".tree .row", { hasText: "lower" }).click();
      await page.locator("#arrows").click();
      server.all({ event: "message", level: "warning", text: "a step met only the weaker criterion", t: 1 });
      server.all({ event: "message", level: "error", text: "at t = 1 s: it failed. The run is paused.", t: 1 });
      await page.locator(".toast.error").waitFor();
      const all = await contrasts(page);
      assert.ok(all.length > 40, `${all.length} texts`);
      const weak = all.filter((one) => one.ratio < one.needed);
      assert.deepEqual(weak, []);
      await page.locator("#help").click();
      assert.deepEqual(
        (await contrasts(page)).filter((one) => one.ratio < one.needed),
        [],
      );
      await shot(page, `access-${colorScheme}`);
    },
    { colorScheme },
  );

scenario("the tree is one to those who hear it, and to the keyboard", async ({ page }) => {
  const wrong = await page.evaluate(() => {
    const problems = [];
    const tree = document.querySelector("[role=tree]");
    for (const element of tree.querySelectorAll("*")) {
      const role = element.getAttribute("role");
      const parent = element.parentElement.closest("[role]:not([role=none])")?.getAttribute("role");
      if (role === "treeitem" && !["tree", "group"].includes(parent)) problems.push(`treeitem in ${parent}`);
      if (role === "group" && parent !== "tree" && parent !== "treeitem") problems.push(`group in ${parent}`);
      if (role === "treeitem" && !element.textContent.trim()) problems.push("a treeitem without a name");
    }
    const named = (e) => e.getAttribute("aria-label") || e.textContent.trim() || e.title || e.labels?.length;
    for (const e of document.querySelectorAll("button, input, select, [role=slider]"))
      if (!named(e)) problems.push(`no name: ${e.outerHTML.slice(0, 80)}`);
    if (tree.querySelectorAll("[tabindex='0']").length !== 1) problems.push("not one stop of Tab");
    return problems;
  });
  assert.deepEqual(wrong, []);
  await page.locator("[role=treeitem][tabindex='0']").focus();
  for (const key of ["ArrowDown", "ArrowDown", "Enter"]) await page.keyboard.press(key);
  assert.equal(await page.locator("#inspector h3").innerText(), "upper");
  await page.keyboard.press("End");
  await page.keyboard.press("Space");
  assert.equal(await page.locator("#inspector h3").innerText(), "A");
  await page.keyboard.press("ArrowLeft"); // to the heading
  await page.keyboard.press("ArrowLeft"); // folds it
  assert.equal(await page.locator("[role=treeitem][aria-expanded='false']").count(), 1);
});

scenario("Space presses the button that has the focus, and pauses elsewhere", async ({ page, server }) => {
  await page.locator("#names").focus();
  await page.keyboard.press("Space");
  assert.equal(await page.locator("#names").evaluate((e) => e.classList.contains("on")), true);
  assert.equal(server.paused, false);
  await page.locator("#stage canvas").focus();
  await page.keyboard.press("Space");
  await page.waitForFunction(() => trammel.status.paused);
});

scenario("a button that the pointer has pressed leaves Space to the page", async ({ page }) => {
  const names = page.locator("#names");
  await names.click();
  assert.equal(await names.evaluate((e) => e.classList.contains("on")), true);
  await page.keyboard.press("Space");
  await page.waitForFunction(() => trammel.status.paused);
  assert.equal(await names.evaluate((e) => e.classList.contains("on")), true);
});

scenario("no key means two things, and the help names every tool", async ({ page }) => {
  await page.locator(".tree .row", { hasText: "lower" }).click();
  const titles = await page.evaluate(() =>
    [...document.querySelectorAll("button[title]")].map((e) => e.title).filter((t) => !t.startsWith("Close")),
  );
  const keys = titles.map((t) => /\(([^)]+)\)$/.exec(t)?.[1]).filter(Boolean);
  assert.ok(keys.length > 25, String(keys));
  assert.deepEqual(
    keys.filter((key, i) => keys.indexOf(key) !== i),
    [],
  );
  await page.keyboard.press("?");
  const told = await page.getByRole("dialog", { name: "Help" }).locator("kbd").allInnerTexts();
  for (const key of keys.flatMap((k) => k.split(/ and | /))) assert.ok(told.includes(key), `${key}: ${told}`);
});

scenario("messages that differ in numbers are one, and infos stay in the log", async ({ page, server }) => {
  for (let k = 0; k < 30; ++k) {
    server.all({ event: "message", level: "info", text: `'left': impact, ${k} before and ${k} after`, t: k });
    server.all({ event: "message", level: "warning", text: `the physics runs at 0.${k} of the speed asked for`, t: k });
    server.all({ event: "message", level: "error", text: `at t = ${k} s: it failed. The run is paused.`, t: k });
  }
  await page.locator(".toast", { hasText: "at t = 29 s" }).waitFor();
  assert.equal(await page.locator(".toast").count(), 2);
  assert.ok((await page.locator("#log li").count()) > 30);
  await page.locator(".toast.error").getByLabel("Close this message").click();
  assert.equal(await page.locator(".toast").count(), 1);
});

for (const [name, viewport] of [
  ["upright", { width: 390, height: 780 }],
  ["across", { width: 780, height: 390 }],
])
  scenario(
    `fingers have room, ${name}`,
    async ({ page }) => {
      const small = await page.evaluate(() =>
        [...document.querySelectorAll("button, select, input, summary, [role=slider]")]
          .filter((e) => e.checkVisibility() && !e.closest(".ghosts"))
          .map((e) => ({
            what: e.getAttribute("aria-label") ?? e.textContent.trim(),
            ...e.getBoundingClientRect().toJSON(),
          }))
          .filter((b) => b.width > 0 && (b.width < 43.5 || b.height < 43.5))
          .map((b) => `${b.what}: ${b.width} × ${b.height}`),
      );
      assert.deepEqual(small, []);
      // the picture has room, every button of the bar and of the drawing tools can be reached, and one panel is seen
      const { width, height } = await page.locator("#stage").boundingBox();
      assert.ok(width * height > 0.3 * viewport.width * viewport.height, `${width} × ${height}`);
      await shot(page, `access-touch-${name}-folded`);
      await page.getByRole("button", { name: "Drawing tools" }).tap();
      for (const button of await page.locator(".bar .tools button, .toolbox button").all()) {
        await button.scrollIntoViewIfNeeded();
        const { x, y, width: w, height: h } = await button.boundingBox();
        const seen = await button.evaluate(
          (e, [a, b]) => e.contains(document.elementFromPoint(a, b)),
          [x + w / 2, y + h / 2],
        );
        assert.ok(seen, await button.getAttribute("aria-label"));
      }
      await page.getByRole("button", { name: "Drawing tools" }).tap();
      for (const tab of ["Model", "Log", "Text", "Study", "Curves"]) {
        await page.getByRole("button", { name: tab, exact: true }).tap();
        await drawn(page);
        assert.equal(await page.locator(".panel:visible").count(), 1, tab);
        await shot(page, `access-touch-${name}-${tab.toLowerCase()}`);
      }
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), viewport.width);
    },
    { viewport, hasTouch: true, isMobile: true },
  );

scenario("a program that says nothing is announced, and its return is seen", async ({ page, server }) => {
  server.hung = true;
  await page.locator(".lost", { hasText: "does not answer" }).waitFor();
  server.hung = false;
  await page.waitForFunction(() => !document.querySelector(".layout").classList.contains("offline"));
});

scenario("bodies are hidden, seen through, and seen alone; a video and a large picture are saved", async ({ page }) => {
  const how = () =>
    page.evaluate(() => {
      const { view } = trammel.picture;
      return view.ordered.map((g) => (g.visible ? g.children[0].children[0].material.opacity : 0));
    });
  await page.locator(".tree .row", { hasText: "lower" }).click();
  await page.keyboard.press("h");
  assert.deepEqual(await how(), [1, 0]);
  await page.getByTitle("See through it (X)").click();
  assert.deepEqual(await how(), [1, 0.25]);
  await page.keyboard.press("q");
  assert.deepEqual(await how(), [0.25, 1]);
  await page.locator("#show-all").click();
  assert.deepEqual(await how(), [1, 1]);
  assert.equal(await page.locator("#show-all").isVisible(), false);
  await page.locator("#arrows").click();
  await page.locator(".label.value", { hasText: "N" }).first().waitFor();
  await page.evaluate(() => (trammel.stage.shadows = true));
  await page.waitForTimeout(1500);
  await shot(page, "access-shadows");
  const [png] = await Promise.all([page.waitForEvent("download"), page.locator("#save-picture").click()]);
  const { readFileSync } = await import("node:fs");
  const bytes = readFileSync(await png.path());
  assert.equal(bytes.readUInt32BE(16), 3840); // IHDR: width
  await page.locator("#save-video").click();
  await page.getByLabel("To", { exact: true }).fill("1");
  await page.getByLabel("From", { exact: true }).fill("0");
  const [webm] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Record", exact: true }).click(),
  ]);
  const video = readFileSync(await webm.path());
  assert.equal(video.readUInt32BE(0), 0x1a45dfa3); // EBML: how a WebM begins
  assert.ok(video.length > 5000, `${video.length} bytes`);
});
