import { defineConfig } from "vitest/config";

/** Runs the packed SDK on other runtimes, which it fetches from the registry: `npm run test:runtimes`. */
export default defineConfig({
  test: { include: ["packaging/*.slow.ts"], pool: "forks", testTimeout: 30_000 },
});
