/*
 * Makes the published files: an ES module in several files, so that bundlers can leave out what is not used, and one
 * CommonJS file per entry. Both hold what they need of the contract. The ES module imports ky; CommonJS cannot, so it
 * holds ky with its licence. Both have one file of declarations per entry, made from those of tsc.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";

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
  const { output: files } = await build.write({
    dir: join(dist, folder),
    format,
    sourcemap: true,
    entryFileNames: "[name].js",
    chunkFileNames: "[name].js",
    exports: "named",
    ...output,
  });
  await build.close();
  return files;
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

/**
 * Writes one file of declarations for an entry. Entries share the types of the first, which they import. What the code
 * does not export is declared as a type, which the roll-up forgets for classes.
 */
async function rollUpDeclarations({ name, exports }) {
  const input = join(dist, "types", `${name}.d.ts`);
  const build = await rollup({ input, plugins: [dts()], external: [...peers, "./index.js"] });
  const { output } = await build.generate({});
  await build.close();
  const text = output[0].code.replace(/^export \{ (.*) \};$/m, (_, names) => {
    const types = names.split(", ").filter((one) => !exports.includes(one));
    return [
      `export { ${exports.join(", ")} };`,
      ...(types.length > 0 ? [`export type { ${types.join(", ")} };`] : []),
    ].join("\n");
  });
  for (const folder of [esm, cjs]) writeFileSync(join(folder, `${name}.d.ts`), text);
}

const esm = join(dist, "esm");
const cjs = join(dist, "cjs");
for (const folder of [esm, cjs]) rmSync(folder, { recursive: true, force: true });
const external = [...peers, "ky"];
const esmFiles = await bundle("esm", entries, "esm", external, {
  codeSplitting: { groups: [errors] },
});
for (const [name, file] of Object.entries(entries))
  await bundle("cjs", { [name]: file }, "cjs", peers, { banner: licenceOfWhatIsHeld });
writeFileSync(join(cjs, "package.json"), '{ "type": "commonjs" }\n');
for (const file of esmFiles.filter(({ isEntry }) => isEntry)) await rollUpDeclarations(file);
