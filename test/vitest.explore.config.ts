import { parseArgs } from "node:util";
import { defineConfig, mergeConfig } from "vitest/config";
import shared from "./vitest.shared.js";

/*
 * `npm run explore` runs every schedule of small cases and 10,000 of large ones, on SQLite and on
 * MongoDB. `npm run explore -- --replay "…"` runs one again.
 */
const [, ...own] = process.argv.join("\n").split("\n--\n");
const { values } = parseArgs({
  args: own.flatMap((part) => part.split("\n")),
  options: {
    /** A schedule, as a failure prints it. */
    replay: { type: "string" },
    /** `sqlite` or `mongo`; else both. */
    store: { type: "string" },
    /** How many large cases, and the first of them. */
    seeds: { type: "string" },
    from: { type: "string" },
    /** One small case by its name; `none` leaves all out. */
    cases: { type: "string" },
    /** How many schedules of a small case at most. */
    most: { type: "string" },
  },
});

export default mergeConfig(
  shared,
  defineConfig({
    test: {
      include: ["explorer/explore.slow.ts"],
      globalSetup: values.store === "sqlite" ? [] : ["support/mongo-server.ts"],
      env: Object.fromEntries(
        Object.entries(values).map(([name, value]) => [
          `EXPLORE_${name.toUpperCase()}`,
          `${value}`,
        ]),
      ),
      testTimeout: 24 * 3_600_000,
      disableConsoleIntercept: true,
    },
  }),
);
