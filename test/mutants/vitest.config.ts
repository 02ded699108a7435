import { join } from "node:path";
import { configDefaults, defineConfig, mergeConfig } from "vitest/config";
import shared from "../vitest.shared.js";

const folder = join(import.meta.dirname, "..");

/** The tests that `npm run mutants` runs: those of rules and operations, on the memory store and the sources. */
export default mergeConfig(
  shared,
  defineConfig({
    root: folder,
    resolve: { alias: { "@queue-api/server": join(folder, "../server/src/index.ts") } },
    test: {
      include: ["{rules,store}/**/*.test.ts"],
      exclude: [...configDefaults.exclude, "store/{model,sqlite-*}.test.ts"], // they compare other stores
      env: { TEST_STORE: "memory" },
    },
  }),
);
