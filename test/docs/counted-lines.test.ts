import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const root = new URL("../../", import.meta.url);
const adapter = new URL("server/src/store/mongo/", root);
const note = readFileSync(new URL("docs/counted-lines.md", root), "utf8");
const named = [...note.matchAll(/`([^`\n]+)`/g)].map(([, name = ""]) => name);

test("the note on counted lines names only files that exist", () => {
  const paths = named.filter((name) => name.includes("/"));
  expect(paths.length).toBeGreaterThan(3);
  expect(paths.filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
});

test("the note on counted lines names only identifiers of the code", () => {
  const code = readdirSync(adapter, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => readFileSync(new URL(file, adapter), "utf8"))
    .join("\n");
  const words = named
    .filter((name) => !name.includes("/"))
    .flatMap((name) => name.match(/[a-zA-Z_]+/g) ?? []);
  expect(words.length).toBeGreaterThan(20);
  const known = new Set(code.match(/[a-zA-Z_]+/g));
  expect(words.filter((word) => !known.has(word))).toEqual([]);
});
