import { randomBytes } from "node:crypto";
import { prepareDemo, type Store } from "@queue-api/server";
import type { BrowserContextOptions, Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { theBrowser } from "../../support/browser.js";
import { startedServer } from "../../support/service.js";

/** The pages under `/docs` of a service with the demo, for a browser. */
interface ServedDocs {
  readonly url: string;
  readonly store: Store;
  /** A key of the demo. */
  readonly key: string;
  /** Opens a page in a new browser context. `faults` has its console errors and failed requests. */
  open(
    path: string,
    options?: BrowserContextOptions,
  ): Promise<{ readonly page: Page; readonly faults: string[] }>;
}

/** Starts a service with the demo, for a test file. */
export async function servedDocs(): Promise<ServedDocs> {
  const { server, store } = await startedServer("memory:", { tryIt: true });
  const { key } = await prepareDemo(store, Date.now(), randomBytes);
  return {
    url: server.url,
    store,
    key,
    async open(path, options = {}) {
      const browser = await theBrowser();
      const context = await browser.newContext({
        viewport: { width: 1440, height: 900 },
        reducedMotion: "reduce",
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
