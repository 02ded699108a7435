import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const projectRoot = fileURLToPath(new URL("../../", import.meta.url));

/** The files of the repository. */
const files = execFileSync("git", ["ls-files"], { cwd: projectRoot, encoding: "utf8" }).split("\n");

function read(file: string): string {
  return readFileSync(join(projectRoot, file), "utf8");
}

const sources = files
  .filter((file) =>
    /^(contract|server|sdk|testkit|test|examples)\/.*\.(ts|js|mjs|css|html)$/.test(file),
  )
  .map(read)
  .join("\n");

/** Names of other programs, and files that a reader makes. */
const foreign = new Set([
  "transactionLifetimeLimitSeconds",
  "electionTimeoutMillis",
  "useFactory",
  "first.mjs",
]);

/** What the text calls by name between back-ticks, and which the repository does not have. */
function missingNames(text: string): string[] {
  const names = [...text.matchAll(/`([^`\n]+)`/g)].map(([, name = ""]) => name);
  return names.filter((name) => {
    if (foreign.has(name) || name.startsWith("/")) return false;
    if (/^[\w./-]+\.(ts|js|mjs|md|json|yml|css|sh)$/.test(name)) {
      return !files.some((file) => file.endsWith(name.replace(/^(\.\.?\/)+/, "")));
    }
    if (/^[a-z]+[A-Z][A-Za-z]*$/.test(name)) return !sources.includes(name);
    const [suite = ""] = /^[a-z]+\/[a-z0-9-]+$/.exec(name) ?? [];
    const isTest = files.some((file) => file.startsWith(`test/${suite.split("/")[0]}/`));
    const exists = files.some((file) => file.startsWith(`test/${suite}`) || file.startsWith(suite));
    return suite !== "" && isTest && !exists;
  });
}

describe.each(files.filter((file) => file.endsWith(".md")))("%s", (file) => {
  it("names only files, functions and tests that exist", () => {
    expect(missingNames(read(file))).toEqual([]);
  });
});
