import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect } from "vitest";

/*
 * Kills and freezes a real database server. `TEST_MONGODB_CONTROL` names the program that controls it:
 * `up` starts a server on the port in MONGO_PORT and prints its URL, `kill` kills it, `pause`
 * and `resume` freeze it and let it continue, and `wipe` stops it and removes its data.
 */
export const { TEST_MONGODB_CONTROL: control } = process.env;

/**
 * The port of this test's server. The program can use the port 28,415 above it too. No system assigns either
 * port to an outgoing connection, so both are free for the second `up`.
 */
const port = String(32_585 + (process.pid % 183));

/** Controls the server of this test, which no other test uses. Returns what the program prints. */
export async function ownServer(
  does: "up" | "kill" | "pause" | "resume" | "wipe",
): Promise<string> {
  if (!control) throw new Error("TEST_MONGODB_CONTROL names no program");
  const env = { MONGO_PORT: port, ...process.env };
  const { stdout } = await promisify(execFile)(control, [does], { env, timeout: 120_000 });
  return stdout.trim();
}

/**
 * Starts the server again after a `kill`. While a process of the killed server still ends, it holds shared memory, and
 * the program refuses to start another server.
 */
export async function restartOwnServer(): Promise<void> {
  await expect.poll(() => ownServer("up").then(() => "up", String), { timeout: 60_000 }).toBe("up");
}
