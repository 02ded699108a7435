import { configDefaults, defineConfig, mergeConfig } from "vitest/config";
import shared from "./vitest.shared.js";

/**
 * `npm test`: everything that needs no other server, and the specification again with the test kit in the place
 * of the service. `npm run test:mongo` is the same for MongoDB.
 */
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
            exclude: [...configDefaults.exclude, "mongo/**"],
          },
        },
        {
          extends: true,
          test: {
            name: "mock",
            include: ["api/**/*.test.ts"],
            exclude: [...configDefaults.exclude, "api/fuzz.test.ts"], // the same requests to the same code
            env: { TEST_TARGET: "mock" },
          },
        },
      ],
    },
  }),
);
