import { existsSync } from "node:fs";

const known = {
  chromium: {
    given: process.env.TEST_CHROMIUM,
    // The headless shell takes half of the full browser's time, so it comes first.
    usualPaths: ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"],
    packageName: "chromium-headless-shell",
  },
  firefox: {
    given: process.env.TEST_FIREFOX,
    usualPaths: ["/usr/bin/firefox-esr", "/usr/bin/firefox"],
    packageName: "firefox-esr",
  },
} as const;

export type BrowserName = keyof typeof known;

/** The path in `TEST_CHROMIUM` or `TEST_FIREFOX`, else the first usual path that exists. */
export function browserPath(name: BrowserName): string | undefined {
  const { given, usualPaths } = known[name];
  return given ?? usualPaths.find((path) => existsSync(path));
}

/** Why this machine cannot start a browser, and how to install it. Null if it can. */
export function whyNoBrowser(name: BrowserName): string | null {
  const path = browserPath(name);
  if (path && existsSync(path)) return null;
  const { usualPaths, packageName } = known[name];
  return `no browser at ${path ?? usualPaths.join(" or ")}: install it with "apt-get install ${packageName}", or name one in TEST_${name.toUpperCase()}`;
}
