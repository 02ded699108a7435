/*
 * Makes the published JavaScript: an ES module in several files, so that bundlers can leave out what is
 * not used, and one CommonJS file per entry. Both hold what they need of the contract. The ES module imports
 * ky; CommonJS cannot, so it holds ky with its licence. The declarations come from tsc; CommonJS gets a copy of
 * those that its entries need.
 */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(root, "dist");
const entries = {
  index: join(root, "src/index.ts"),
  opentelemetry: join(root, "src/opentelemetry.ts"),
};

/** Stays a file of its own, for bundlers to leave out. */
const errors = { name: "errors", test: /sdk[\\/]src[\\/]errors\.ts$/ };
const peers = ["@opentelemetry/api"];

async function bundle(format, input, folder, external, output) {
  const build = await rolldown({
    input,
    platform: "neutral",
    external,
    resolve: { mainFields: ["module", "main"], conditionNames: ["import"] },
    treeshake: { moduleSideEffects: false },
  });
  await build.write({
    dir: join(dist, folder),
    format,
    sourcemap: true,
    entryFileNames: "[name].js",
    chunkFileNames: "[name].js",
    exports: "named",
    ...output,
  });
  await build.close();
}

/** The licence of ky, for a file that holds its code. */
function licenceOfWhatIsHeld({ moduleIds }) {
  if (!moduleIds.some((id) => /[\\/]node_modules[\\/]ky[\\/]/.test(id))) return "";
  const code = createRequire(import.meta.url).resolve("ky");
  const licence = readFileSync(join(dirname(code), "../license"), "utf8")
    .trim()
    .split("\n");
  const lines = ["This file contains ky.", "", ...licence].map((line) => ` * ${line}`.trimEnd());
  return `/*!\n${lines.join("\n")}\n */`;
}

/** Copies a declaration file with its map, and the declarations that it imports. */
function copyDeclarations(name, copied = new Set()) {
  if (copied.has(name)) return;
  copied.add(name);
  for (const file of [name, `${name}.map`]) cpSync(join(esm, file), join(cjs, file));
  for (const [, path] of readFileSync(join(esm, name), "utf8").matchAll(/"(\.\.?\/.+?)\.js"/g)) {
    copyDeclarations(join(dirname(name), `${path}.d.ts`), copied);
  }
}

/** The package holds its own sources, so their text need not stand in the maps again. */
function leaveOutOwnSources(folder) {
  for (const name of readdirSync(folder).filter((name) => name.endsWith(".js.map"))) {
    const file = join(folder, name);
    const map = JSON.parse(readFileSync(file, "utf8"));
    map.sourcesContent = map.sources.map((source, at) =>
      source.startsWith("../../src/") ? null : map.sourcesContent[at],
    );
    writeFileSync(file, JSON.stringify(map));
  }
}

const esm = join(dist, "esm");
const cjs = join(dist, "cjs");
for (const name of readdirSync(esm, { recursive: true })) {
  const source = name.replace(/\.d\.ts(\.map)?$/, ".ts");
  const gone = source !== name && !existsSync(join(root, "src", source)); // left by an earlier build
  if (gone || /\.js(\.map)?$/.test(name)) rmSync(join(esm, name));
}
rmSync(cjs, { recursive: true, force: true });
for (const name of Object.keys(entries)) copyDeclarations(`${name}.d.ts`);
writeFileSync(join(cjs, "package.json"), '{ "type": "commonjs" }\n');
await bundle("esm", entries, "esm", [...peers, "ky"], { codeSplitting: { groups: [errors] } });
for (const [name, file] of Object.entries(entries))
  await bundle("cjs", { [name]: file }, "cjs", peers, { banner: licenceOfWhatIsHeld });
leaveOutOwnSources(esm);
leaveOutOwnSources(cjs);
