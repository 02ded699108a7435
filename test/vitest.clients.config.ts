import { defineConfig, mergeConfig } from "vitest/config";
import { wholeMatrix } from "./support/matrix.js";
import shared from "./vitest.shared.js";

/**
 * `npm run test:clients`: the clients that generators make of the OpenAPI document, the tool that tries it out, and
 * the samples of the reference that have to be compiled.
 */
export default mergeConfig(
  shared,
  defineConfig({
    test: {
      // With `TEST_MATRIX=one`, as `.ci/run` has it: one generator, and neither schemathesis nor the samples.
      include: wholeMatrix ? ["{clients,docs}/*.slow.ts"] : ["clients/{lint,generators}.slow.ts"],
      globalSetup: ["clients/install-tools.ts"],
      // Generators and compilers; the first run of a machine downloads them.
      testTimeout: 900_000,
      hookTimeout: 900_000,
    },
  }),
);
