import { join } from "node:path";
import { configDefaults, defineConfig, mergeConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { shared } from "../vitest.config.js";

const folder = join(import.meta.dirname, "..");
/** They read thousands of rows or days. */
const slow = /\/(audit|statistics|business-day)\.test\.ts$/;

/** Starts the quick files first: the first test that fails ends the run. */
class QuickFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => Number(slow.test(moduleId));
    return files.toSorted((one, other) => rank(one) - rank(other));
  }
}

/** The tests that `npm run mutants` runs: those of rules and operations, on the memory store and the sources. */
export default mergeConfig(
  shared,
  defineConfig({
    root: folder,
    resolve: { alias: { "@queue-api/server": join(folder, "../server/src/index.ts") } },
    test: {
      include: ["{rules,operations,store}/**/*.test.ts"],
      exclude: [...configDefaults.exclude, "store/copy.test.ts"], // it copies to another store
      env: { TEST_STORE: "memory" },
      sequence: { sequencer: QuickFirst },
    },
  }),
);
