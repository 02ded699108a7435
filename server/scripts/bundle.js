/*
 * Makes the CommonJS form of the test kit, for test runners that load no ES modules from packages (jest, as
 * most projects set it up). It holds the parts of our own; every other library stays a dependency, but for
 * marked, which comes as an ES module alone. The declarations are copies of those that tsc makes.
 */
import { cpSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const dist = fileURLToPath(new URL("../dist/", import.meta.url));
const cjs = `${dist}cjs`; // one level below dist, like the folder of the pages' code: both find docs/ from there
const external = /^(node:|express$|zod$|pino|helmet$|raw-body$|content-type$|@ts-rest\/|msw$)/;

rmSync(cjs, { recursive: true, force: true });
const build = await rolldown({
  input: { mock: `${dist}mock/index.js`, msw: `${dist}msw/index.js` },
  platform: "node",
  external,
});
await build.write({
  dir: cjs,
  format: "cjs",
  exports: "named",
  sourcemap: true,
  chunkFileNames: "kit.js",
});
await build.close();

for (const folder of ["endpoints", "http", "mock", "msw", "owner", "rules", "store"]) {
  const declaration = (source) => !/\.(js|js\.map|d\.ts\.map)$/.test(source);
  cpSync(`${dist}${folder}`, `${cjs}/types/${folder}`, { recursive: true, filter: declaration });
}
writeFileSync(`${cjs}/package.json`, '{ "type": "commonjs" }\n');
