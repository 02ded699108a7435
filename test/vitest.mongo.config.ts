import { configDefaults, defineConfig, mergeConfig } from "vitest/config";
import shared from "./vitest.shared.js";

/** What does not ask a store, or takes none but its own. */
const apart = [
  "**/*-browser.test.ts",
  "dashboard/{board-snapshot,board-streams,logs}.test.ts",
  "sdk/leak.test.ts",
];

/** The specification, the dashboard and the SDK on MongoDB: `npm run test:mongo`. */
export default mergeConfig(
  shared,
  defineConfig({
    test: {
      include: ["{api,dashboard,sdk}/**/*.test.ts"],
      exclude: [...configDefaults.exclude, ...apart],
      env: { TEST_STORE: "mongo" },
      globalSetup: ["support/mongo-server.ts"],
      testTimeout: 120_000,
    },
  }),
);
