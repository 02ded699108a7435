import { spawn } from "node:child_process";
import { start } from "./adapters.js";

/** Where the built store lies; a process of its own runs what is installed, not the sources. */
const built = new URL("../../../server/dist/store/open.js", import.meta.url).href;

export interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

/**
 * Runs the body of an async function in a process of its own, with `openStore(url)` and `args` at hand.
 * What it returns is written to `output` as JSON. Its time stands still at `start`. A root user is stepped down from, since it may write
 * everywhere.
 */
export function inAnotherProcess(
  body: string,
  args: unknown,
  { unprivileged = false } = {},
): Promise<Ended> {
  const program = `
    const { openStore: open } = await import(${JSON.stringify(built)});
    if (${unprivileged} && process.getuid() === 0) process.setuid(65534);
    const openStore = (url) => open(url, { clock: () => ${start}, random: (n) => new Uint8Array(n) });
    const args = ${JSON.stringify(args)};
    const result = await (async () => { ${body} })();
    process.stdout.write(JSON.stringify(result ?? null));`;
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--input-type=module", "--eval", program]);
    let output = "";
    let errors = "";
    child.stdout.on("data", (chunk) => {
      output += chunk;
    });
    child.stderr.on("data", (chunk) => {
      errors += chunk;
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, output, errors }));
  });
}
