import { configDefaults, defineConfig, mergeConfig } from "vitest/config";
import { wholeMatrix } from "./support/matrix.js";
import { shared } from "./vitest.config.js";

/** What does not ask a store, or takes none but its own. */
const apart = [
  "**/*-browser.test.ts",
  "dashboard/logs.test.ts",
  "adapters/sqlite-*.test.ts",
  "store/{clock,memory-steps,one-write,turns}.test.ts",
];

export default mergeConfig(
  shared,
  defineConfig({
    test: {
      projects: [
        {
          // The specification, the dashboard, the model and the suite of the stores on MongoDB: `npm run test:mongo`.
          extends: true,
          test: {
            name: "mongo",
            include: [
              "{adapters,api,dashboard,model,mongo,store}/**/*.test.ts",
              "faults/kill-rounds.test.ts",
            ],
            exclude: [...configDefaults.exclude, ...apart],
            env: { TEST_STORE: "mongo" },
            globalSetup: ["support/mongo-server.ts"],
          },
        },
        {
          // Kills, cuts, freezes and slows MongoDB, and holds elections, which takes minutes: `npm run test:mongo-faults`.
          // With `TEST_MATRIX=one`: the storm, in which all of it happens at once.
          extends: true,
          test: {
            name: "faults",
            include: wholeMatrix ? ["mongo/*.slow.ts"] : ["mongo/storm.slow.ts"],
            globalSetup: ["support/mongo-server.ts"],
          },
        },
      ],
    },
  }),
);
