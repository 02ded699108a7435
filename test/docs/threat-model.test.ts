import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";

const read = (path: string) => readFile(new URL(path, import.meta.url), "utf8");

const model = await read("../../docs/threat-model.md");
const rows = model
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| threat"))
  .map((line) => line.split("|").map((cell) => cell.trim()));

describe("the threat model", () => {
  test("fits on a page: about two dozen threats, each with a defence and a test", () => {
    expect(rows.length).toBeGreaterThan(20);
    expect(rows.length).toBeLessThan(40);
    for (const [, threat, defence, tests] of rows) {
      expect([threat, defence, tests].every((cell) => cell !== "")).toBe(true);
    }
  });

  test.each(
    rows.flatMap(([, threat = "", , tests = ""]) =>
      tests.split("; `").map((reference): [string, string] => [threat, reference]),
    ),
  )("%s: names an existing test: %s", async (_threat, reference) => {
    const [, file, title] = /^`?([\w/-]+)` › (.+)$/.exec(reference) ?? [];
    if (file === undefined || title === undefined)
      throw new Error(`no test is named: ${reference}`);
    const source = await read(`../${file}.test.ts`);
    // A title is the first argument of `test`, or of the function that `test.each` returns.
    const titles = [...source.matchAll(/\(\s*(["`])((?:(?!\1).)+)\1,/g)].map(([, , text]) => text);
    expect(titles, `a title in ${file}`).toContain(title);
  });
});
