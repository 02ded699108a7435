import { spawn } from "node:child_process";
import { once } from "node:events";
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

const mongo = process.env.TEST_MONGODB_URL ? ["mongo-2"] : [];
for (const name of store ? [store] : ["memory", "sqlite", "sqlite-2", ...mongo]) {
  const chosen = { MODEL_STORE: name, MODEL_SECONDS: String(seconds) };
  const replay = { ...(seed && { MODEL_SEED: seed }), ...(path && { MODEL_PATH: path }) };
  const timeout = `--testTimeout=${(seconds + 180) * 1_000}`;
  const args = ["vitest", "run", "--project", "service", timeout, "model/model.test.ts"];
  const child = spawn("npx", args, {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    env: { ...process.env, ...chosen, ...replay },
    stdio: "inherit",
  });
  const [code] = await once(child, "exit");
  if (code !== 0) process.exitCode = 1;
}
