/** `npm run release:version -- 1.1.0`: sets the version that all packages share, and what they want of one another. */
import { execSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

const version = process.argv[2] ?? "";
if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error("Usage: npm run release:version -- 1.1.0");
for (const file of execSync("git ls-files '*/package.json'", { encoding: "utf8" }).split("\n")) {
  if (file === "" || file.startsWith("test/tools/")) continue;
  const text = readFileSync(file, "utf8")
    .replace(/^( {2}"version": )".*"/m, `$1"${version}"`)
    .replaceAll(/("@queue-api\/\w+": )"\d.*"/g, `$1"${version}"`);
  writeFileSync(file, text);
}
execSync("npm install --package-lock-only");
