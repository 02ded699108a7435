import { defineConfig, mergeConfig } from "vitest/config";
import shared from "./vitest.shared.js";

/** `npm test`: everything, and the specification again with the test kit in the place of the server. */
export default mergeConfig(
  shared,
  defineConfig({
    test: {
      projects: [
        {
          extends: true,
          test: {
            name: "service",
            include: ["**/*.test.ts"],
            globalSetup: ["support/mongo-server.ts"],
          },
        },
        {
          extends: true,
          test: { name: "mock", include: ["api/**/*.test.ts"], env: { TEST_TARGET: "mock" } },
        },
      ],
    },
  }),
);
