import { defineConfig } from "vitest/config";

/** Kills, freezes and slows a MongoDB server of its own, which takes minutes: `npm run test:mongo-faults`. */
export default defineConfig({
  test: {
    include: ["mongo/*.slow.ts"],
    globalSetup: ["support/mongo-server.ts"],
    pool: "forks",
    testTimeout: 120_000,
  },
});
