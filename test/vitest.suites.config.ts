import { defineConfig, mergeConfig } from "vitest/config";
import { wholeMatrix } from "./support/matrix.js";
import { inBrowsers, shared, wholePrograms } from "./vitest.config.js";

/** The suites that need whole programs, another server, a browser, packed packages or generators. A script runs each. */

/**
 * Each operation is written once, and only the adapter differs. So MongoDB needs the suite of the adapters, its own, the
 * model, the copy from and to it, the kill rounds, and of the specification what is about data. The rest runs on SQLite.
 */
const onMongo = [
  "adapters/{adapter,same-answers}.test.ts",
  "mongo/*.test.ts",
  "model/model.test.ts",
  "store/copy.test.ts",
  "faults/kill-rounds.test.ts",
  "api/{04-endpoints,04-idempotency,04-lists,05-audit,08-limits}.test.ts",
];

export default mergeConfig(
  shared,
  defineConfig({
    test: {
      projects: [
        {
          // `npm run test:programs`
          extends: true,
          test: { name: "programs", include: wholePrograms },
        },
        {
          // `npm run test:mongo`
          extends: true,
          test: {
            name: "mongo",
            include: onMongo,
            env: { TEST_STORE: "mongo" },
            globalSetup: ["support/mongo-server.ts"],
          },
        },
        {
          // Kills, cuts and freezes MongoDB, and holds elections, which takes minutes: `npm run test:mongo-faults`.
          // With `TEST_MATRIX=one`: the storm, in which most of it happens at once.
          extends: true,
          test: {
            name: "faults",
            include: wholeMatrix ? ["mongo/*.slow.ts"] : ["mongo/storm.slow.ts"],
            globalSetup: ["support/mongo-server.ts"],
          },
        },
        {
          // `npm run test:packed`: the packed packages with what they need from the registry: the test kit in an empty
          // folder, and the SDK in frameworks, on other runtimes and with other compilers.
          // With `TEST_MATRIX=one`, as `.ci/run` has it: one framework, one runtime.
          extends: true,
          test: {
            name: "packed",
            include: [
              "{testkit,packaging}/*.slow.ts",
              `frameworks/${wholeMatrix ? "*" : "{next,node}"}.slow.ts`,
            ],
          },
        },
        {
          // `npm run test:clients`: the clients that generators make of the OpenAPI document. With `TEST_MATRIX=one`: one
          // generator.
          extends: true,
          test: {
            name: "clients",
            include: ["clients/*.slow.ts"],
            maxWorkers: 1, // the first file installs the tools of both
            // Generators and compilers; the first run of a machine downloads them.
            testTimeout: 900_000,
            hookTimeout: 900_000,
          },
        },
        {
          // `npm run test:browsers`, in Chromium: what the pages do, and how they look. axe-core checks each page at each
          // width, light and dark; with `TEST_MATRIX=one` at its extremes.
          extends: true,
          test: {
            name: "chromium",
            include: [...inBrowsers, "{dashboard,docs}/*.looks.ts"],
            env: { TEST_BROWSER: "chromium", TEST_LOOKS: wholeMatrix ? "all" : "extremes" },
            maxWorkers: 2, // each with a browser for all its files
          },
        },
        {
          // `npm run test:browsers`, in Firefox: the dashboard; with `TEST_MATRIX=one` the board and the display.
          // axe-core checks fewer combinations there, because its rules give the same result in both browsers.
          extends: true,
          test: {
            name: "firefox",
            include: wholeMatrix
              ? ["dashboard/*{-browser.test,.looks}.ts"]
              : ["dashboard/{board,board-forms,display}-browser.test.ts"],
            env: { TEST_BROWSER: "firefox", TEST_LOOKS: "extremes" },
            maxWorkers: 2,
            // After the other one: a worker has one browser.
            sequence: { groupOrder: 1 },
          },
        },
        {
          // Takes the pictures of the dashboard that stand in the documentation: `npm run screenshots`.
          extends: true,
          test: { name: "screenshots", include: ["screenshots/*.slow.ts"], maxWorkers: 2 },
        },
      ],
    },
  }),
);
