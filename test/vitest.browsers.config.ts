import { defineConfig, mergeConfig } from "vitest/config";
import shared from "./vitest.shared.js";

/** The browser tests in Firefox, and what takes minutes in any browser: `npm run test:browsers`. */
export default mergeConfig(
  shared,
  defineConfig({
    test: {
      include: ["dashboard/*-browser.test.ts", "docs/browser.test.ts", "examples/kiosk.test.ts"],
      env: { TEST_BROWSER: "firefox", RACE_ROUNDS: "200" },
      maxWorkers: 1, // one Firefox for all files
    },
  }),
);
