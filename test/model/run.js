import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { Command } from "commander";

const options = new Command("npm run model --")
  .description("Runs the model. A failure prints the seed that repeats it.")
  .option("--minutes <n>", "for each store", Number, 10)
  .option(
    "--store <name>",
    "memory, sqlite, sqlite-2 or mongo-2, which needs TEST_MONGODB_URL (default: all)",
  )
  .option("--seed <n>", "plays one case, and makes it smaller if it fails")
  .parse()
  .opts();

const mongo = process.env.TEST_MONGODB_URL ? ["mongo-2"] : [];
const seconds = options.minutes * 60;
for (const name of options.store ? [options.store] : ["memory", "sqlite", "sqlite-2", ...mongo]) {
  const chosen = { MODEL_STORE: name, MODEL_SECONDS: String(seconds) };
  const timeout = `--testTimeout=${(seconds + 180) * 1_000}`;
  const { status } = spawnSync(
    "npx",
    ["vitest", "run", "--project", "service", timeout, "model/model.test.ts"],
    {
      cwd: join(import.meta.dirname, ".."),
      env: { ...process.env, ...chosen, ...(options.seed && { MODEL_SEED: options.seed }) },
      stdio: "inherit",
    },
  );
  if (status !== 0) process.exitCode = 1;
}
