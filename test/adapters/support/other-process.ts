import { type Started, start } from "../../support/run.js";

/** The built adapter and the records of the tests. Another process runs built files, not the sources. */
const built = new URL("../../../server/dist/store/sqlite/open.js", import.meta.url).href;

/**
 * Starts the body of an async function in another process, with `open(path)` and `args` in scope. Its result
 * is written to the output as JSON.
 */
export function startProcess(body: string, args: unknown): Started {
  const program = `
    const { openSqlite } = await import(${JSON.stringify(built)});
    const open = (path) => openSqlite(path, { create: true });
    const args = ${JSON.stringify(args)};
    const result = await (async () => { ${body} })();
    process.stdout.write(JSON.stringify(result ?? null));`;
  const { env } = process;
  return start(process.execPath, ["--input-type=module", "--eval", program], { env });
}

/** The result of a body, which must succeed; see {@link startProcess}. */
export async function inAnotherProcess(body: string, args: unknown): Promise<unknown> {
  const { code, stdout, stderr } = await startProcess(body, args).ended;
  if (code !== 0 || stderr !== "") throw new Error(`the process ended with ${code}: ${stderr}`);
  return JSON.parse(stdout);
}
