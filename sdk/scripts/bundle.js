/*
 * Makes the published JavaScript: an ES module in several files, so that bundlers can leave out what is
 * not used, and one CommonJS file per entry. Both hold what they need of the contract, so the package
 * installs alone. The declarations come from tsc; CommonJS gets a copy of them.
 */
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(root, "dist");
const entries = {
  index: join(root, "src/index.ts"),
  opentelemetry: join(root, "src/opentelemetry.ts"),
  msw: join(root, "src/msw.ts"),
};

/** Files that stay files of their own, for bundlers to leave out. */
const parts = [{ name: "errors", test: /sdk[\\/]src[\\/]errors\.ts$/ }];

async function bundle(format, input, folder, codeSplitting) {
  const build = await rolldown({
    input,
    platform: "neutral",
    external: ["@opentelemetry/api", "msw"],
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
    ...codeSplitting,
  });
  await build.close();
}

function removeJavaScript(folder) {
  for (const name of readdirSync(folder)) {
    if (/\.js(\.map)?$/.test(name)) rmSync(join(folder, name));
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
removeJavaScript(esm);
rmSync(cjs, { recursive: true, force: true });
cpSync(esm, cjs, { recursive: true });
writeFileSync(join(cjs, "package.json"), '{ "type": "commonjs" }\n');
await bundle("esm", entries, "esm", { codeSplitting: { groups: parts } });
for (const [name, file] of Object.entries(entries))
  await bundle("cjs", { [name]: file }, "cjs", {});
leaveOutOwnSources(esm);
leaveOutOwnSources(cjs);
