import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const root = new URL("../../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), "utf8");
const exists = (path: string) => existsSync(new URL(path, root));

const architecture = read("docs/architecture.md");
const glossary = read("docs/glossary.md");
const contributing = read("CONTRIBUTING.md");

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
function rows(text: string): string[][] {
  const lines = text.split("\n").filter((line) => line.startsWith("| "));
  const cells = lines.map((line) =>
    line.split(" | ").map((cell) => cell.replace(/^\| | \|$/g, "")),
  );
  return cells.filter(([first]) => first !== "term" && first !== "folder");
}

const inBackticks = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);

describe("docs/architecture.md and docs/glossary.md", () => {
  const named = [
    ...links("docs/architecture.md", architecture),
    ...links("docs/glossary.md", glossary),
  ];

  test("link only to files that exist", () => {
    expect(named.length).toBeGreaterThan(80);
    expect(named.map(({ path }) => path).filter((path) => !exists(path))).toEqual([]);
  });

  test("label each link to a source file with the end of its path", () => {
    const wrong = named.filter(({ label, path }) => path.endsWith(".ts") && !path.endsWith(label));
    expect(wrong).toEqual([]);
  });
});

test("the glossary names only identifiers that occur in the file of their term", () => {
  const terms = rows(glossary);
  expect(terms.length).toBeGreaterThan(12);
  for (const [term, meaning = "", files = ""] of terms) {
    const source = links("docs/glossary.md", files)
      .map(({ path }) => read(path))
      .join("\n");
    const identifiers = inBackticks(meaning).filter((name) => /^[A-Za-z_]+$/.test(name));
    for (const identifier of identifiers) {
      expect(source, `${term}: the file of ${identifier}`).toMatch(
        new RegExp(`(?<![\\w-])${identifier}(?!\\w)`),
      );
    }
  }
});

describe("the map in CONTRIBUTING.md", () => {
  const map = rows(contributing);
  const sourceFile = /^[\w./-]+(\/|\.(ts|md|json))$/;

  test.each(map)("%s exists, and so does each file that its row names", (folder, contents = "") => {
    const [path = ""] = inBackticks(folder);
    expect(path).toMatch(sourceFile);
    expect(exists(path), path).toBe(true);
    const files = inBackticks(contents).filter((name) => /^\w/.test(name) && sourceFile.test(name));
    const bases = ["", path, "server/src/"];
    expect(files.filter((file) => !bases.some((base) => exists(base + file)))).toEqual([]);
  });

  test("has a row for each folder of the server's source and each package", () => {
    const source = readdirSync(new URL("server/src/", root), { withFileTypes: true });
    const folders = source.filter((each) => each.isDirectory());
    const { workspaces } = JSON.parse(read("package.json")) as { workspaces: string[] };
    const paths = [
      ...folders.map(({ name }) => `server/src/${name}/`),
      ...workspaces
        .filter((name) => name !== "server")
        .map((name) => `${name.replace(/\/\*$/, "")}/`),
    ];
    expect(map.map(([folder = ""]) => inBackticks(folder)[0])).toEqual(
      expect.arrayContaining(paths),
    );
  });
});
