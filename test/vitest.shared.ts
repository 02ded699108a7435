import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./support/longest-first.js";

/** Folder for machine-readable reports beside what people read: a file for each run of vitest. */
const reports = process.env.TEST_REPORTS;

/** What all runs have in common. */
export default defineConfig({
  test: {
    pool: "forks",
    // Loading the service takes longer than most files do: each worker does it once, and what is built is loaded as it is.
    isolate: false,
    environment: "./support/worker.ts",
    runner: "./support/runner.ts",
    server: { deps: { external: [/\/(contract|sdk|testkit|server)\/dist\//] } },
    maxWorkers: 3, // on two cores: much of the time is spent on waiting for browsers, sockets and processes
    sequence: { sequencer: LongestFirst },
    // These only end a test that hangs; they are long enough for a machine that runs other suites too.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 30_000 } },
    reporters: reports ? ["default", "json"] : ["default"],
    ...(reports && { outputFile: join(reports, `${process.pid}.json`) }),
  },
});
