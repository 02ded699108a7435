import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";
import { startFirefox } from "./firefox.js";

/** Whether the tests are for Firefox: with `TEST_BROWSER=firefox`. Default: Chromium. */
export const isFirefox = process.env.TEST_BROWSER === "firefox";

const { given, usualPaths, packageName } = isFirefox
  ? {
      given: process.env.TEST_FIREFOX,
      usualPaths: ["/usr/bin/firefox-esr", "/usr/bin/firefox"],
      packageName: "firefox-esr",
    }
  : {
      given: process.env.TEST_CHROMIUM,
      // The headless shell takes half of the full browser's time, so it comes first.
      usualPaths: ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"],
      packageName: "chromium-headless-shell",
    };

/** The path in `TEST_CHROMIUM` or `TEST_FIREFOX`, else the first usual path that exists. */
const path = given ?? usualPaths.find((usual) => existsSync(usual));

/** Why this machine cannot start the browser of the tests, and how to install it. Null if it can. */
export const noBrowser =
  path && existsSync(path)
    ? null
    : `no browser at ${path ?? usualPaths.join(" or ")}: install it with "apt-get install ${packageName}", or name one in TEST_CHROMIUM or TEST_FIREFOX`;

if (noBrowser !== null) console.warn(`SKIPPED, ${noBrowser}`);

/** A host name for this machine that the browser does not treat as local. */
export const otherHost = "queue.test";

let started: Promise<Browser> | undefined;

/**
 * A headless browser that sends requests only for the pages of a test. All test files of a worker share it, and
 * it ends with the worker.
 */
export function theBrowser(): Promise<Browser> {
  started ??= isFirefox ? startFirefox(path, otherHost) : startChromium(path);
  return started;
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
