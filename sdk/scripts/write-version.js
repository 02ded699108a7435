/** Writes the version of the package into its source. For after the version was changed. */
import { readFileSync, writeFileSync } from "node:fs";

const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
writeFileSync(
  new URL("../src/version.ts", import.meta.url),
  `/** Version of this package. */\nexport const version = "${manifest.version}";\n`,
);
