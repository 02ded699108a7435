import { defineConfig } from "vitest/config";

/** Where a machine-readable report goes, beside what people read. */
const report = process.env.TEST_REPORT;

export default defineConfig({
  test: {
    include: ["**/*.test.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    reporters: report ? ["default", ["json", { outputFile: report }]] : ["default"],
  },
});
