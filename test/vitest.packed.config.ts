import { defineConfig, mergeConfig } from "vitest/config";
import shared from "./vitest.shared.js";

/** With `TEST_MATRIX=one`, as `.ci/run` has it: one framework, one runtime. */
const frameworks = process.env.TEST_MATRIX === "one" ? "{next,node}" : "*";

/**
 * The packed packages with what they need from the registry: the test kit in an empty folder
 * (`npm run test:packed`), the SDK on other runtimes (`npm run test:runtimes`), and the SDK in frameworks
 * (`npm run test:frameworks`).
 */
export default mergeConfig(
  shared,
  defineConfig({
    test: { include: ["{testkit,packaging}/*.slow.ts", `frameworks/${frameworks}.slow.ts`] },
  }),
);
