import { defineConfig, mergeConfig } from "vitest/config";
import shared from "./vitest.shared.js";

/** With `TEST_MATRIX=one`, as `.ci/run` has it: one framework, one runtime. */
const frameworks = process.env.TEST_MATRIX === "one" ? "{next,node}" : "*";

/**
 * `npm run test:packed`: the packed packages with what they need from the registry: the test kit in an empty folder, and
 * the SDK in frameworks, on other runtimes and with other compilers.
 */
export default mergeConfig(
  shared,
  defineConfig({
    test: { include: ["{testkit,packaging}/*.slow.ts", `frameworks/${frameworks}.slow.ts`] },
  }),
);
