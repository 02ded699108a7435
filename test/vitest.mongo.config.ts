import { configDefaults, defineConfig, mergeConfig } from "vitest/config";
import shared from "./vitest.shared.js";

/** What does not ask a store, or takes none but its own. */
const apart = [
  "**/*-browser.test.ts",
  "dashboard/logs.test.ts",
  "adapters/sqlite-*.test.ts",
  "store/{clock,memory-steps,one-write,turns}.test.ts",
];

/** The specification, the dashboard, the model and the suite of the stores on MongoDB: `npm run test:mongo`. */
export default mergeConfig(
  shared,
  defineConfig({
    test: {
      include: [
        "{adapters,api,dashboard,model,mongo,store}/**/*.test.ts",
        "faults/kill-rounds.test.ts",
      ],
      exclude: [...configDefaults.exclude, ...apart],
      env: { TEST_STORE: "mongo" },
      globalSetup: ["support/mongo-server.ts"],
    },
  }),
);
