import { defineConfig, mergeConfig } from "vitest/config";
import shared from "./vitest.shared.js";

/** Cuts, freezes and slows the way to MongoDB, and holds elections, which takes minutes: `npm run test:mongo-faults`. */
export default mergeConfig(
  shared,
  defineConfig({
    test: {
      include: ["mongo/*.slow.ts"],
      globalSetup: ["support/mongo-server.ts"],
    },
  }),
);
