import type { Browser } from "playwright-core";
import { chromium } from "playwright-core";
import { atEndOfWorker } from "./at-end.js";
import { startFirefox } from "./firefox.js";
import { type BrowserName, browserPath, whyNoBrowser } from "./installed-browser.js";

/** The browser that the tests are for. Set `TEST_BROWSER=firefox` for Firefox; default: Chromium. */
const usual: BrowserName = process.env.TEST_BROWSER === "firefox" ? "firefox" : "chromium";

/** Why this machine cannot start the browser of the tests. Null if it can. */
export const noBrowser = whyNoBrowser(usual);

if (noBrowser !== null) console.warn(`SKIPPED, ${noBrowser}`);

/** Whether the tests are for Firefox. */
export const isFirefox = usual === "firefox";

/** A host name for this machine that the browser does not treat as local. */
export const otherHost = "queue.test";

const started = new Map<BrowserName, Promise<Browser>>();

/**
 * A headless browser that sends requests only for the pages of a test. All test files of a worker share it, and
 * it ends with the worker. Default: the browser that the tests are for.
 */
export function theBrowser(name = usual): Promise<Browser> {
  const browser = started.get(name) ?? startBrowser(name);
  started.set(name, browser);
  return browser;
}

async function startBrowser(name: BrowserName): Promise<Browser> {
  const path = browserPath(name);
  const browser = await (name === "firefox" ? startFirefox(path, otherHost) : startChromium(path));
  atEndOfWorker(() => browser.close());
  return browser;
}

function startChromium(executablePath: string | undefined): Promise<Browser> {
  return chromium.launch({
    ...(executablePath && { executablePath }),
    args: [
      "--no-sandbox",
      "--disable-gpu",
      // Fewer processes: none ahead of a page, and none to draw.
      "--renderer-process-limit=1",
      "--in-process-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      `--host-resolver-rules=MAP ${otherHost} 127.0.0.1`,
    ],
  });
}
