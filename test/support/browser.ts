import { existsSync } from "node:fs";
import type { Browser } from "playwright-core";
import { chromium } from "playwright-core";
import { startFirefox } from "./firefox.js";

const known = {
  chromium: {
    given: process.env.TEST_CHROMIUM,
    // Chromium without what is never seen costs half of the time, so it is taken where both are.
    usualPaths: ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"],
    packageName: "chromium-headless-shell",
  },
  firefox: {
    given: process.env.TEST_FIREFOX,
    usualPaths: ["/usr/bin/firefox-esr", "/usr/bin/firefox"],
    packageName: "firefox-esr",
  },
} as const;

type BrowserName = keyof typeof known;

/** The browser that the tests are for. Set `TEST_BROWSER=firefox` for Firefox; default: Chromium. */
const usual: BrowserName = process.env.TEST_BROWSER === "firefox" ? "firefox" : "chromium";

function pathOf(name: BrowserName): string | undefined {
  const { given, usualPaths } = known[name];
  return given ?? usualPaths.find((path) => existsSync(path));
}

/** Why this machine cannot start a browser, and how to install it. Null if it can. */
function whyNot(name: BrowserName): string | null {
  const path = pathOf(name);
  if (path && existsSync(path)) return null;
  const { usualPaths, packageName } = known[name];
  return `no browser at ${path ?? usualPaths.join(" or ")}: install it with "apt-get install ${packageName}", or name one in TEST_${name.toUpperCase()}`;
}

/** Why this machine cannot start the browser of the tests. Null if it can. */
export const noBrowser = whyNot(usual);

if (noBrowser !== null) console.warn(`SKIPPED, ${noBrowser}`);

/** Whether the tests are for Firefox. */
export const isFirefox = usual === "firefox";

/** The other browser if this machine has it, or else the same. */
export const rival: BrowserName = isFirefox && whyNot("chromium") === null ? "chromium" : usual;

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
  const path = pathOf(name);
  const browser = await (name === "firefox" ? startFirefox(path, otherHost) : startChromium(path));
  globalThis.endOfWorker ??= [];
  globalThis.endOfWorker.push(() => browser.close());
  return browser;
}

function startChromium(executablePath: string | undefined): Promise<Browser> {
  return chromium.launch({
    ...(executablePath && { executablePath }),
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      `--host-resolver-rules=MAP ${otherHost} 127.0.0.1`,
    ],
  });
}
