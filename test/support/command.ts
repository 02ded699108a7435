import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

/** The executable that an operator runs. */
export const commandPath = fileURLToPath(new URL("../../server/bin/queue-api.js", import.meta.url));

/** Its environment, without the settings of the machine. Even vitest sets a `BASE_URL`. */
export const commandEnvironment = { PATH: process.env.PATH };

/** Runs `queue-api … --json` to its end and returns the printed document. Throws the command's message if it fails. */
export async function queueApi(args: readonly string[], input = ""): Promise<unknown> {
  const child = spawn(process.execPath, [commandPath, ...args, "--json"], {
    env: commandEnvironment,
    stdio: ["pipe", "pipe", "pipe"],
  });
  const ended = once(child, "close");
  child.stdin.end(input);
  const [output, complaint] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await ended;
  if (code !== 0) throw new Error(`queue-api ${args[0]} exited ${code}: ${complaint.trim()}`);
  return JSON.parse(output);
}
