import { defineConfig, mergeConfig } from "vitest/config";
import { wholeMatrix } from "./support/matrix.js";
import { shared } from "./vitest.config.js";

/**
 * Each operation is written once, and only the adapter differs. So MongoDB needs the suite of the adapters, its own, the
 * model, the copy from and to it, the kill rounds, and of the specification what is about data. `npm test` runs the rest.
 */
const onMongo = [
  "adapters/{adapter,same-answers}.test.ts",
  "mongo/*.test.ts",
  "model/model.test.ts",
  "store/copy.test.ts",
  "faults/kill-rounds.test.ts",
  "api/{04-endpoints,04-idempotency,04-lists,05-audit,08-limits}.test.ts",
];

export default mergeConfig(
  shared,
  defineConfig({
    test: {
      projects: [
        {
          // `npm run test:mongo`
          extends: true,
          test: {
            name: "mongo",
            include: onMongo,
            env: { TEST_STORE: "mongo" },
            globalSetup: ["support/mongo-server.ts"],
          },
        },
        {
          // Kills, cuts and freezes MongoDB, and holds elections, which takes minutes: `npm run test:mongo-faults`.
          // With `TEST_MATRIX=one`: the storm, in which most of it happens at once.
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
