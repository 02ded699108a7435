import { defineConfig, mergeConfig } from "vitest/config";
import shared from "./vitest.shared.js";

/** With `TEST_MATRIX=one`, as `.ci/run` has it: one generator instead of four. */
const generators = process.env.TEST_MATRIX === "one" ? "{lint,typescript,generated-types}" : "*";

/**
 * `npm run test:clients`: the clients that generators make of the OpenAPI document, the tool that tries it out, and
 * the samples of the reference that have to be compiled.
 */
export default mergeConfig(
  shared,
  defineConfig({
    test: {
      include: [`clients/${generators}.slow.ts`, ...(generators === "*" ? ["docs/*.slow.ts"] : [])],
      globalSetup: ["clients/install-tools.ts"],
      // Generators and compilers; the first run of a machine downloads them.
      testTimeout: 900_000,
      hookTimeout: 900_000,
    },
  }),
);
