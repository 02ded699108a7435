import { spawn } from "node:child_process";
import { start } from "./adapters.js";

/** The built store. Another process runs the built files, not the sources. */
const built = new URL("../../../server/dist/open-store.js", import.meta.url).href;

export interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

/**
 * Runs the body of an async function in another process, with `openStore(url)` and `args` in scope.
 * Its result is written to `output` as JSON. Its clock stands still at `start`. `unprivileged`: not as root,
 * who can write everywhere.
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
