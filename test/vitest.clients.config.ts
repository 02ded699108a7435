import { defineConfig, mergeConfig } from "vitest/config";
import shared from "./vitest.shared.js";

/** `npm run test:clients`: the clients that generators make of the OpenAPI document, and the tool that tries it out. */
export default mergeConfig(
  shared,
  defineConfig({
    test: {
      include: ["clients/*.slow.ts"],
      // Generators and compilers; the first run of a machine downloads them.
      testTimeout: 240_000,
      hookTimeout: 240_000,
    },
  }),
);
