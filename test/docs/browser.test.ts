import {
  openStore,
  pooledRandom,
  readConfig,
  type Store,
  startServer,
  systemClock,
} from "@queue-api/server";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { noChromium, startChromium } from "../support/chromium.js";

/** Runs in the browser. */
const lookOfThePage = `({
  overflow: document.documentElement.scrollWidth - innerWidth,
  backgroundColor: getComputedStyle(document.body).backgroundColor,
  color: getComputedStyle(document.body).color,
})`;

describe.skipIf(noChromium)(`the pages in a browser${noChromium ? ` (${noChromium})` : ""}`, () => {
  let store: Store;
  let server: Awaited<ReturnType<typeof startServer>>;
  let browser: Browser;

  beforeAll(async () => {
    store = await openStore("memory:", { clock: systemClock, random: pooledRandom() });
    server = await startServer({ store, config: { ...readConfig({}), port: 0 } });
    browser = await startChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
    await store?.close();
  });

  const paths = [
    "",
    "/first-token",
    "/any-language",
    "/testing",
    "/errors#queue_paused",
    "/dashboard",
    "/reference",
  ];

  it.each([
    [1280, "light"],
    [1280, "dark"],
    [360, "light"],
    [360, "dark"],
  ] as const)("fit %i pixels, %s, and load whole", async (width, colorScheme) => {
    const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme });
    const faults: string[] = [];
    context.on("console", (message) => faults.push(message.text()));
    context.on("requestfailed", (request) => faults.push(`failed: ${request.url()}`));
    context.on("response", (answer) => {
      if (answer.status() >= 400) faults.push(`${answer.status()} ${answer.url()}`);
    });
    const visit = async (path: string) => {
      const page = await context.newPage();
      await page.goto(`${server.url}/docs${path}`, { waitUntil: "networkidle" });
      const look = await page.evaluate(lookOfThePage);
      expect(look, path).toEqual(
        colorScheme === "light"
          ? { overflow: 0, backgroundColor: "rgb(255, 255, 255)", color: "rgb(31, 39, 35)" }
          : { overflow: 0, backgroundColor: "rgb(21, 26, 24)", color: "rgb(228, 233, 230)" },
      );
    };
    await Promise.all(paths.map(visit)); // a page that was loaded is waited for until it has been quiet
    expect(faults).toEqual([]);
    await context.close();
  });

  it("open at the error that docUrl names", async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    const refused = await fetch(`${server.url}/v1/me`);
    const { error } = (await refused.json()) as { error: { docUrl: string } };
    await page.goto(error.docUrl);
    expect(await page.locator(":target").textContent()).toBe("unauthorized");
    expect(await page.evaluate("scrollY")).toBeGreaterThan(500);
    await page.close();
  });
});
