import { join } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";

/** Folder for machine-readable reports beside what people read: a file for each run of vitest. */
const reports = process.env.TEST_REPORTS;

/** What all runs have in common. */
export const shared = defineConfig({
  test: {
    pool: "forks",
    // Loading the service takes longer than most files do: each worker does it once, and what is built is loaded as it is.
    isolate: false,
    globalSetup: ["support/folder.ts"],
    server: { deps: { external: [/\/(contract|sdk|testkit|server)\/dist\//] } },
    maxWorkers: 3, // on two cores: much of the time is spent on waiting for browsers, sockets and processes
    // These only end a test that hangs; they are long enough for a machine that runs other suites too.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 30_000 } },
    reporters: reports ? ["default", "json"] : ["default"],
    ...(reports && { outputFile: join(reports, `${process.pid}.json`) }),
  },
});

/** What drives a browser: `npm run test:browsers`. */
export const inBrowsers = ["dashboard/*-browser.test.ts", "docs/browser.test.ts"];

/** What starts, kills or packs whole programs: `npm run test:programs`. */
export const wholePrograms = [
  "adapters/sqlite-processes.test.ts",
  "cli/{demo,processes,serve,simulate}.test.ts",
  "docs/{backup,readme,samples}.test.ts",
  "examples/*.test.ts",
  "faults/{disk,kill-rounds,stop}.test.ts",
  "packaging/*.test.ts",
  "release/packages.test.ts",
];

/**
 * `npm test`, which is for every change: all tests but these two lists, and the specification again with the test kit in
 * the place of the service. The suites of `vitest.suites.config.ts` take longer, or need more.
 */
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    projects: [
      {
        extends: true,
        test: {
          name: "service",
          include: ["**/*.test.ts"],
          exclude: [...configDefaults.exclude, "mongo/**", ...inBrowsers, ...wholePrograms],
        },
      },
      {
        extends: true,
        test: {
          name: "mock",
          include: ["api/**/*.test.ts"],
          exclude: [...configDefaults.exclude, "api/fuzz.test.ts"], // the same requests to the same code
          env: { TEST_TARGET: "mock" },
          // After the other one: a worker that changes between projects loads all modules again.
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
