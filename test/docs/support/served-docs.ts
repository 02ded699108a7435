import { randomBytes } from "node:crypto";
import { prepareDemo } from "@queue-api/server";
import type { BrowserContextOptions } from "playwright-core";
import { onTestFinished } from "vitest";
import { theBrowser } from "../../support/browser.js";
import { startedServer } from "../../support/service.js";

/** Starts a service with the demo, for a test file that reads its pages under `/docs` in a browser. */
export async function servedDocs() {
  const { server, store } = await startedServer("memory:", { tryIt: true });
  const { key } = await prepareDemo(store, Date.now(), randomBytes);
  return {
    url: server.url,
    store,
    key,
    /** Opens a page in a new browser context. `faults` has its console errors and failed requests. */
    async open(path: string, options: BrowserContextOptions = {}) {
      const browser = await theBrowser();
      const context = await browser.newContext({
        viewport: { width: 1440, height: 900 },
        reducedMotion: "reduce",
        permissions: ["clipboard-read", "clipboard-write"],
        ...options,
      });
      onTestFinished(() => context.close());
      context.setDefaultTimeout(60_000);
      const page = await context.newPage();
      const faults: string[] = [];
      page.on("pageerror", (error) => faults.push(error.message));
      page.on("console", (message) => faults.push(message.text()));
      page.on("requestfailed", (request) => faults.push(`failed: ${request.url()}`));
      await page.goto(`${server.url}/docs${path}`);
      return { page, faults };
    },
  };
}
