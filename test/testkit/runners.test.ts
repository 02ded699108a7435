import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const require = createRequire(import.meta.url);
const vitest = fileURLToPath(
  new URL("vitest.mjs", `file://${require.resolve("vitest/package.json")}`),
);

/** Runs a test runner in a separate project. */
async function run(
  project: string,
  args: readonly string[],
): Promise<{ code: number; output: string }> {
  const cwd = fileURLToPath(new URL(`projects/${project}`, import.meta.url));
  const env = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(VITEST|NODE_OPTIONS|JEST|NODE_TEST|TEST$)/.test(name),
    ),
  );
  const child = spawn(process.execPath, args, { cwd, env: { ...env, NO_COLOR: "1" } });
  const ended = new Promise<number>((resolve) => child.on("close", (code) => resolve(code ?? -1)));
  const output = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended, output: output.join("") };
}

/** `packed.slow.ts` tests the packed kit with these runners and with jest. */
describe("the kit in separate projects", () => {
  it.each([
    ["vitest", "vitest", [vitest, "run"], /Tests +5 passed \(5\)/],
    [
      "Node's own runner",
      "node-test",
      ["--test", "--test-reporter=tap", "kiosk.check.js", "answers.check.js"],
      /# pass 7\n# fail 0/,
    ],
  ] as const)(
    "works under %s",
    async (_name, project, args, passed) => {
      const { code, output } = await run(project, args);
      expect(output).toMatch(passed);
      expect(output).not.toMatch(/open handle|did not exit/i);
      expect(code).toBe(0);
    },
    120_000,
  );
});
