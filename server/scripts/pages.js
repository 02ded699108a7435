/*
 * Makes the developer reference (src/docs/build.ts), unless nothing that it is made of has changed since the last
 * time: making it takes two seconds, and each `npm start` and `npm test` builds.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = new URL("../../", import.meta.url);
const inputs = [
  "server/dist/docs",
  "server/dist/lib/html.js",
  "server/src/docs/assets",
  "server/assets",
  "contract/dist",
  "sdk/dist/esm",
  "sdk/package.json",
  ...["contract", "sdk", "testkit", "server"].map((name) => `${name}/README.md`),
  "CHANGELOG.md",
  "docs",
  "package-lock.json",
];
const made = ["server/dist/pages/index.html", "server/AGENTS.md"].map(
  (path) => new URL(path, root),
);
const lastInputs = new URL("server/dist/docs/.inputs", root);

/** The files at a path and below it, in an order that is always the same. Hidden ones are no input. */
function filesAt(path) {
  if (!statSync(path).isDirectory()) return [path];
  const names = readdirSync(path).filter((name) => !name.startsWith("."));
  return names.sort().flatMap((name) => filesAt(`${path}/${name}`));
}

const hash = createHash("sha256");
for (const input of inputs) {
  for (const file of filesAt(fileURLToPath(new URL(input, root)))) {
    hash.update(`${file}\n`).update(readFileSync(file));
  }
}
const now = hash.digest("hex");
const before = existsSync(lastInputs) ? readFileSync(lastInputs, "utf8") : null;
if (now !== before || !made.every(existsSync)) {
  rmSync(lastInputs, { force: true }); // if the build is interrupted, the next one builds the pages again
  await import("../dist/docs/build.js");
  writeFileSync(lastInputs, now);
}
