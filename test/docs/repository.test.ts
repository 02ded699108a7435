import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it, test } from "vitest";

const root = new URL("../../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), "utf8");
const exists = (path: string) => existsSync(new URL(path, root));

const files = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).split("\n");

const sources = files
  .filter((file) =>
    /^(contract|server|sdk|testkit|test|examples)\/.*\.(ts|js|mjs|css|html)$/.test(file),
  )
  .map(read)
  .join("\n");

/** The links of a page to files of the repository, with the paths from its root. */
function links(page: string, text: string): { label: string; path: string }[] {
  return [...text.matchAll(/\[([^\]]+)\]\((?!\w+:)([^)#]+)(?:#[^)]*)?\)/g)].map(
    ([, label = "", target = ""]) => {
      const { pathname } = new URL(target, `file:///${page}`);
      return { label, path: pathname.slice(1) };
    },
  );
}

/** The cells of each row of a page's tables, without header rows. */
function rows(page: string): string[][] {
  const lines = read(page)
    .split("\n")
    .filter((line) => line.startsWith("| "));
  const cells = lines.map((line) =>
    line.split(" | ").map((cell) => cell.replace(/^\| | \|$/g, "")),
  );
  return cells.filter(([first = ""]) => !["term", "folder", "threat"].includes(first));
}

const inBackticks = (text: string) =>
  [...text.matchAll(/`([^`\n]+)`/g)].map(([, name = ""]) => name);

/** Names of other programs, and files that a reader makes. */
const foreign = new Set([
  "transactionLifetimeLimitSeconds",
  "electionTimeoutMillis",
  "useFactory",
  "first.mjs",
]);

/** A file that only a running service has. `docs/pages` follows the link to it. */
const served = "llms.txt";

/** What the text calls by name between back-ticks, and which the repository does not have. */
function missingNames(text: string): string[] {
  return inBackticks(text).filter((name) => {
    if (foreign.has(name) || name.startsWith("/")) return false;
    if (/^[\w./-]+\.(ts|js|mjs|md|json|yml|css|sh)$/.test(name)) {
      return !files.some((file) => file.endsWith(name.replace(/^(\.\.?\/)+/, "")));
    }
    if (/^[a-z]+[A-Z][A-Za-z]*$/.test(name)) return !sources.includes(name);
    const [suite = ""] = /^[a-z]+\/[a-z0-9-]+$/.exec(name) ?? [];
    const isTest = files.some((file) => file.startsWith(`test/${suite.split("/")[0]}/`));
    const isThere = files.some(
      (file) => file.startsWith(`test/${suite}`) || file.startsWith(suite),
    );
    return suite !== "" && isTest && !isThere;
  });
}

describe.each(files.filter((file) => file.endsWith(".md")))("%s", (page) => {
  const text = read(page);

  it("names only files, functions and tests that exist", () => {
    expect(missingNames(text)).toEqual([]);
  });

  it("links only to files that exist, and labels a source file with the end of its path", () => {
    const linked = links(page, text.replaceAll(/^```.*?^```$/gms, ""));
    const wrong = linked.filter(
      ({ label, path }) =>
        !(exists(path) || path === served) || (path.endsWith(".ts") && !path.endsWith(label)),
    );
    expect(wrong).toEqual([]);
  });
});

test("the glossary names only identifiers that occur in the file of their term", () => {
  for (const [term, meaning = "", cell = ""] of rows("docs/glossary.md")) {
    const source = links("docs/glossary.md", cell)
      .map(({ path }) => read(path))
      .join("\n");
    for (const identifier of inBackticks(meaning).filter((name) => /^[A-Za-z_]+$/.test(name))) {
      const word = new RegExp(`(?<![\\w-])${identifier}(?!\\w)`);
      expect(source, `${term}: the file of ${identifier}`).toMatch(word);
    }
  }
});

describe("the map in CONTRIBUTING.md", () => {
  const map = rows("CONTRIBUTING.md");
  test("has a row for each folder of the server's source and each package", () => {
    const source = readdirSync(new URL("server/src/", root), { withFileTypes: true });
    const folders = source.filter((each) => each.isDirectory());
    const { workspaces } = JSON.parse(read("package.json")) as { workspaces: string[] };
    const packages = workspaces.filter((name) => name !== "server");
    const paths = [
      ...folders.map(({ name }) => `server/src/${name}/`),
      ...packages.map((name) => `${name.replace(/\/\*$/, "")}/`),
    ];
    const mapped = map.map(([folder = ""]) => inBackticks(folder)[0] ?? "");
    expect(mapped).toEqual(expect.arrayContaining(paths));
    expect(mapped.filter((path) => !exists(path))).toEqual([]);
  });
});

describe("the threat model", () => {
  const threats = rows("docs/threat-model.md");

  test.each(
    threats.flatMap(([threat = "", , tests = ""]) =>
      tests.split("; `").map((reference) => [threat, reference] as const),
    ),
  )("%s: names an existing test: %s", (_threat, reference) => {
    const [, file, title] = /^`?([\w/-]+)` › (.+)$/.exec(reference) ?? [];
    // A title is the first argument of `test`, or of the function that `test.each` returns.
    const source = read(`test/${file}.test.ts`);
    const titles = [...source.matchAll(/\(\s*(["`])((?:(?!\1).)+)\1,/g)].map(([, , text]) => text);
    expect(titles, `a title in ${file}`).toContain(title);
  });
});
