// What the live page keeps, saves and says, against a server without mechanics.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, noChromium, openPage, shot } from "./browser.mjs";
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

scenario("energy is kinetic and potential; the balance has its own name", async ({ page }) => {
  await page.waitForFunction(() => document.querySelector("#energy").textContent === "5 J");
  assert.equal(await page.locator("#balance").textContent(), "6 J");
});

scenario(
  "the model is saved as at the start, or as it moves now, and the page says which",
  async ({ page, server }) => {
    const save = async (choice) => {
      await page.locator("#save").click();
      const [file] = await Promise.all([page.waitForEvent("download"), page.getByText(choice).click()]);
      return file.suggestedFilename();
    };
    assert.equal(await save("As at the start"), "double-pendulum.yaml");
    assert.equal(server.last("save").now, false);
    assert.equal(await save("As it moves now"), "double-pendulum-now.yaml");
    assert.equal(server.last("save").now, true);
    await page.locator(".toast", { hasText: "double-pendulum-now.yaml" }).waitFor();
  },
);

scenario("an address of an earlier run is told from a program that does not answer", async ({ page, server }) => {
  server.outdated = true;
  for (const socket of server.sockets) socket.close();
  await page.locator(".lost", { hasText: "no longer valid" }).waitFor();
  await shot(page, "page-outdated");
  // The browser itself writes a line for each answer 403.
  page.problems = page.problems.filter((text) => !text.includes("403"));
});

scenario("a reload keeps curves, toggles and the log", async ({ page, server }) => {
  await page.locator(".plot").first().hover();
  await page.locator(".plot").first().getByTitle("Remove this plot").click();
  await page.keyboard.press("n");
  await page.keyboard.press("t");
  await page.locator("#window").selectOption("20");
  server.all({ event: "journal", entry: { step: 1, t: 0.5, edit: { do: "remove-joint", name: "A" } } });
  await page.locator("#log li", { hasText: "joint A deleted" }).waitFor();
  await page.reload();
  await page.locator("#log li", { hasText: "joint A deleted" }).waitFor();
  assert.equal(await page.locator(".plot").count(), 2);
  assert.equal(await page.locator("#window").inputValue(), "20");
  const on = (id) => page.locator(`#${id}`).evaluate((e) => e.classList.contains("on"));
  assert.deepEqual([await on("names"), await on("traces"), await on("arrows")], [true, false, false]);
});

scenario("a curve without values has no axes", async ({ page }) => {
  await page.locator("#add-plot").click();
  await page.keyboard.press("Escape");
  assert.equal(await page.locator(".plot").last().locator(".uplot").isVisible(), false);
  assert.equal(await page.locator(".plot").first().locator(".uplot").isVisible(), true);
});

scenario("what is not unique or does not fit is marked", async ({ page, server }) => {
  await page.locator("#arrows").click();
  await page.locator(".legend", { hasText: "pale: not unique" }).waitFor();
  const unfit = page.locator("#choose-formulation option", { hasText: "needs a tree" });
  assert.equal(await unfit.evaluate((option) => option.disabled), true);
  await page.locator(".tree .row", { hasText: /^A/ }).click();
  await page.locator(".reading", { hasText: "not unique" }).first().waitFor();
  assert.equal(server.last("set-plan"), undefined);
});

for (const width of [1440, 390])
  scenario(
    `the fields of a new body show what is in them, ${width} pixels wide`,
    async ({ page }) => {
      await page.locator("#new-body").click();
      for (const label of ["Name", "Mass", "Length", "Position x", "Position y"]) {
        const box = await page.getByLabel(label, { exact: true }).boundingBox();
        // eight digits of 13 pixels' type
        assert.ok(box.width >= 70, `${label}: ${box.width}`);
        assert.ok(box.x + box.width <= width, `${label} is cut off`);
      }
      await shot(page, `page-new-body-${width}`);
    },
    { viewport: { width, height: 780 } },
  );

scenario(
  "the help card opens at its top on a phone",
  async ({ page }) => {
    await page.evaluate(() => document.querySelector("#help").click());
    const top = await page.getByRole("dialog", { name: "Help" }).locator("h2").boundingBox();
    assert.ok(top.y >= 0, String(top.y));
    await shot(page, "page-help-phone");
  },
  { viewport: { width: 390, height: 600 }, hasTouch: true, isMobile: true },
);
