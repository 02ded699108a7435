import { defineConfig, mergeConfig } from "vitest/config";
import { wholeMatrix } from "./support/matrix.js";
import { shared } from "./vitest.config.js";

export default mergeConfig(
  shared,
  defineConfig({
    test: {
      projects: [
        {
          // `npm run test:packed`: the packed packages with what they need from the registry: the test kit in an empty
          // folder, and the SDK in frameworks, on other runtimes and with other compilers.
          // With `TEST_MATRIX=one`, as `.ci/run` has it: one framework, one runtime.
          extends: true,
          test: {
            name: "packed",
            include: [
              "{testkit,packaging}/*.slow.ts",
              `frameworks/${wholeMatrix ? "*" : "{next,node}"}.slow.ts`,
            ],
          },
        },
        {
          // `npm run test:clients`: the clients that generators make of the OpenAPI document, and the samples of the
          // reference that have to be compiled.
          // With `TEST_MATRIX=one`: one generator, and no samples.
          extends: true,
          test: {
            name: "clients",
            include: wholeMatrix
              ? ["{clients,docs}/*.slow.ts"]
              : ["clients/{lint,generators}.slow.ts"],
            globalSetup: ["clients/install-tools.ts"],
            // Generators and compilers; the first run of a machine downloads them.
            testTimeout: 900_000,
            hookTimeout: 900_000,
          },
        },
      ],
    },
  }),
);
