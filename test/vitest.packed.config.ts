import { defineConfig, mergeConfig } from "vitest/config";
import shared from "./vitest.shared.js";

/**
 * The packed packages with what they need from the registry: the test kit in an empty folder
 * (`npm run test:packed`), the SDK on other runtimes (`npm run test:runtimes`), and the SDK in frameworks
 * (`npm run test:frameworks`).
 */
export default mergeConfig(
  shared,
  defineConfig({ test: { include: ["{testkit,packaging,frameworks}/*.slow.ts"] } }),
);
