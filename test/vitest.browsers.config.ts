import { defineConfig, mergeConfig } from "vitest/config";
import shared from "./vitest.shared.js";

/**
 * `npm run test:browsers`: the browser tests in Firefox, with 200 races of a Firefox and a Chromium; then, with
 * `--mode chromium`, how the pages look in Chromium. axe-core looks at each page at each width, light and dark.
 */
export default defineConfig(({ mode }) =>
  mergeConfig(shared, {
    test: {
      include: ["dashboard/{*-browser,change-limit,ticket,transfer}.test.ts"],
      env: {
        ...{ TEST_LOOKS: "all", RACE_ROUNDS: "200" },
        TEST_BROWSER: mode === "chromium" ? "chromium" : "firefox",
      },
      ...(mode === "chromium" && { testNamePattern: /\bfits\b/ }),
      maxWorkers: 1, // one browser for all files
    },
  }),
);
