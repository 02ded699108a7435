/*
 * Makes the published files: one CommonJS file with the kit and everything that it needs, ES modules that lead to
 * it (so a program that uses both has one kit), the declarations, and the licences of the packages in the bundle.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(root, "dist");
const entries = ["index", "msw"];

/** Writes an entry as one file. Returns what rolldown tells of it. */
async function bundle(entry, { format, folder, external = [], name = entry }) {
  const build = await rolldown({
    input: { [name]: join(root, `src/${entry}.ts`) },
    platform: "node",
    external,
    // The mock never logs; this build of pino needs neither files nor worker threads.
    resolve: { alias: { pino: "pino/browser.js" } },
  });
  const { output } = await build.write({ dir: folder, format, exports: "named" });
  await build.close();
  return output[0];
}

/** The types of the API, which the kit has in common with the SDK. They contain no code. */
const api = join(root, "../sdk/src/generated/types.ts");

/** Copies the declarations that the entries lead to. Fails when one of them imports another package than msw. */
function declarations(folder) {
  const files = new Set(entries.map((name) => `${name}.d.ts`));
  for (const file of files) {
    const from = file === "api.d.ts" ? api : join(dist, "types", file);
    const text = readFileSync(from, "utf8").replace(/\n\/\/# source.*/, "");
    for (const [, path] of text.matchAll(/(?:from|import\() ?"([^"]+)"/g)) {
      if (/^\.\/[\w-]+\.js$/.test(path)) files.add(path.slice(2).replace(/js$/, "d.ts"));
      else if (path !== "msw") throw new Error(`${file} declares types by way of ${path}`);
    }
    writeFileSync(join(folder, file), text);
  }
}

/** The text of every licence that the files are under, each package once. */
function licences(files) {
  const packages = new Map();
  for (const file of files) {
    const [folder] = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? [];
    if (folder)
      packages.set(folder, JSON.parse(readFileSync(join(folder, "package.json"), "utf8")));
  }
  const sections = [...packages].map(([folder, { name, version, license }]) => {
    const file = readdirSync(folder).find((name) => /^licen[cs]e(\.\w+)?$/i.test(name));
    if (!file) throw new Error(`${name} has no file with its licence`);
    const text = readFileSync(join(folder, file), "utf8").trim();
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  return sections.sort().join(`\n${"-".repeat(80)}\n\n`);
}

for (const [format, type] of [
  ["cjs", "commonjs"],
  ["esm", "module"],
]) {
  const folder = join(dist, format);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  declarations(folder);
  writeFileSync(join(folder, "package.json"), `{ "type": "${type}" }\n`);
  await bundle("msw", { format, folder, external: ["msw", "./index.js"] });
}
const kit = await bundle("index", { format: "cjs", folder: join(dist, "cjs"), name: "kit" });
// Node reads the names that a CommonJS file exports in its text: fast only where the text is short.
const names = kit.exports.map((name) => `exports.${name} = kit.${name};\n`);
writeFileSync(join(dist, "cjs/index.js"), `const kit = require("./kit.js");\n${names.join("")}`);
writeFileSync(
  join(dist, "esm/index.js"),
  `export { ${kit.exports.join(", ")} } from "../cjs/index.js";\n`,
);
writeFileSync(join(dist, "THIRD-PARTY-LICENSES.txt"), licences(kit.moduleIds));
