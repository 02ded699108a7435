import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Installed } from "./installed.js";
import { both, imported, required } from "./programs.js";
import { fetched, runtimes } from "./runtimes.js";

const run = promisify(execFile);
let installed: Installed;

beforeAll(async () => {
  installed = await Installed.make();
}, 60_000);
afterAll(() => installed.remove());

describe.each(runtimes)("on $name", (runtime) => {
  let path: string;
  beforeAll(async () => {
    path = await fetched(runtime);
  }, 300_000);

  test.each([
    ["required.cjs", required],
    ["imported.mjs", imported],
    ["both.mjs", both],
  ])("%s works", async (name, text) => {
    const program = await installed.write(name, text);
    const { stdout } = await run(path, [...runtime.args, program], { cwd: installed.folder });
    expect(stdout.trim()).toBe("works");
  });
});
