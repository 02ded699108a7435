import { defineConfig, mergeConfig } from "vitest/config";
import { wholeMatrix } from "./support/matrix.js";
import { shared } from "./vitest.config.js";

const pages = ["dashboard/*-browser.test.ts", "dashboard/*.looks.ts"];

/**
 * `npm run test:browsers`: the browser tests in Firefox; then `npm run test:looks`: how the
 * pages look in Chromium. There axe-core checks each page at each width, light and dark. Its rules give the same result
 * in both browsers, so it checks fewer combinations in Firefox. With `TEST_MATRIX=one`: the board and the display in
 * Firefox, and in Chromium each page at its extremes.
 */
export default mergeConfig(
  shared,
  defineConfig({
    test: {
      maxWorkers: 2, // each with a browser for all its files
      projects: [
        {
          extends: true,
          test: {
            name: "firefox",
            include: wholeMatrix ? pages : ["dashboard/{board,display}-browser.test.ts"],
            env: { TEST_BROWSER: "firefox", TEST_LOOKS: "extremes" },
          },
        },
        {
          // The script names the tests: those that fit, and one that looks at the page of a response.
          extends: true,
          test: {
            name: "chromium",
            include: [...pages, "docs/browser.test.ts", "docs/*.looks.ts"],
            env: { TEST_BROWSER: "chromium", TEST_LOOKS: wholeMatrix ? "all" : "extremes" },
          },
        },
        {
          // Takes the pictures of the dashboard that stand in the documentation: `npm run screenshots`.
          extends: true,
          test: { name: "screenshots", include: ["screenshots/*.slow.ts"] },
        },
      ],
    },
  }),
);
