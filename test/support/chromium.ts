import { existsSync } from "node:fs";
import type { Browser } from "playwright-core";
import { chromium } from "playwright-core";

/** Chromium without what is never seen costs half of the time, so it is taken where both are. */
const usualPaths = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

const executablePath = process.env.TEST_CHROMIUM ?? usualPaths.find((path) => existsSync(path));

/** Why no browser can be started here, with the line that helps; null where one can. */
export const noChromium: string | null =
  executablePath && existsSync(executablePath)
    ? null
    : `no Chromium at ${executablePath ?? usualPaths.join(" or ")}: install it with "apt-get install chromium-headless-shell", or name one in TEST_CHROMIUM`;

if (noChromium !== null) console.warn(`SKIPPED, ${noChromium}`);

/** A host that is this machine, and that Chromium trusts no more than any other. */
export const otherHost = "queue.test";

/** A Chromium without a window that asks nobody but the pages it is sent to. */
export function startChromium(): Promise<Browser> {
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
