import { defineConfig, mergeConfig } from "vitest/config";
import shared from "./vitest.shared.js";

/**
 * `npm run test:browsers`: the browser tests in Firefox; then `npm run test:looks`: with `--mode chromium`, how the
 * pages look in Chromium. There axe-core checks each page at each width, light and dark. Its rules give the same result
 * in both browsers, so it checks fewer combinations in Firefox.
 */
export default defineConfig(({ mode }) =>
  mergeConfig(shared, {
    test: {
      include: [
        "dashboard/*-browser.test.ts",
        "dashboard/*.looks.ts",
        ...(mode === "chromium" ? ["docs/browser.test.ts", "docs/*.looks.ts"] : []),
      ],
      env: {
        ...(mode === "chromium"
          ? { TEST_BROWSER: "chromium", TEST_LOOKS: "all" }
          : { TEST_BROWSER: "firefox", TEST_LOOKS: "extremes" }),
      },
      // The latter looks at the page of a response.
      ...(mode === "chromium" && { testNamePattern: /\bfits\b|sends a creation/ }),
      maxWorkers: 2, // each with a browser for all its files
    },
  }),
);
