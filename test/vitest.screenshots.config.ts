import { defineConfig } from "vitest/config";

/** Takes the pictures of the dashboard that stand in the documentation: `npm run screenshots`. */
export default defineConfig({
  test: {
    include: ["screenshots/*.slow.ts"],
    pool: "forks",
    environment: "./support/worker.ts",
    testTimeout: 300_000,
  },
});
