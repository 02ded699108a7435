import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/*
 * npm run model -- [--minutes 10] [--store memory|sqlite|sqlite-2|mongo-2] [--seed=N] [--path P]
 *
 * Runs the model on one store, or on all. The minutes are for each store; MongoDB needs TEST_MONGODB_URL. A failure
 * prints the seed and the path that repeat it.
 */
const text = { type: "string" };
const { values } = parseArgs({ options: { minutes: text, store: text, seed: text, path: text } });
const { minutes = "10", store, seed, path } = values;
const seconds = Number(minutes) * 60;
if (!(seconds > 0)) throw new Error("--minutes must be a positive number");

const stores = [
  "memory",
  "sqlite",
  "sqlite-2",
  ...(process.env.TEST_MONGODB_URL ? ["mongo-2"] : []),
];
if (store && !stores.includes(store))
  throw new Error(`--store must be one of ${stores.join(", ")}`);
const chosen = { MODEL_STORES: store ?? stores.join(" "), MODEL_SECONDS: String(seconds) };
const timeout = `--testTimeout=${(seconds + 180) * 1_000}`;
spawn("npx", ["vitest", "run", "--project", "service", timeout, "model/model.test.ts"], {
  cwd: fileURLToPath(new URL("..", import.meta.url)),
  env: { ...process.env, ...chosen, MODEL_SEED: seed, MODEL_PATH: path },
  stdio: "inherit",
}).once("exit", (code) => {
  process.exitCode = code ?? 1;
});
