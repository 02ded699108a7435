import {
  openStore,
  prepareDemo,
  readConfig,
  type Store,
  startServer,
  systemClock,
  systemRandom,
} from "@queue-api/server";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { theBrowser } from "../../support/browser.js";

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

/** Starts a service for a test file. Its values are available after the tests of the file have started. */
export function servedDocs(): ServedDocs {
  let store: Store;
  let server: Awaited<ReturnType<typeof startServer>>;
  let key: string;

  beforeAll(async () => {
    store = await openStore("memory:", { clock: systemClock, random: systemRandom });
    server = await startServer({ store, config: { ...readConfig({}), port: 0 }, tryIt: true });
    ({ key } = await prepareDemo(store, systemClock(), systemRandom));
  });
  afterAll(async () => {
    await server?.close();
    await store?.close();
  });

  return {
    get url() {
      return server.url;
    },
    get store() {
      return store;
    },
    get key() {
      return key;
    },
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
