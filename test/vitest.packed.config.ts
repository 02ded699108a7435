import { defineConfig, mergeConfig } from "vitest/config";
import shared from "./vitest.shared.js";

/**
 * The packed packages with what they need from the registry: the test kit in an empty folder
 * (`npm run test:packed`), and the SDK on other runtimes (`npm run test:runtimes`).
 */
export default mergeConfig(
  shared,
  defineConfig({ test: { include: ["{kit,packaging}/*.slow.ts"] } }),
);
