import type { Manifest } from "./workspace.js";

/** Folders whose files are published. */
const folders = new Set(["assets", "bin", "dist", "docs", "src"]);

/** Published files outside these folders. */
const beside = new Set(["LICENSE", "README.md", "package.json"]);

/** Files that a package must not contain: tests, build caches, secrets, databases. */
const strays = /\.test\.|\.tsbuildinfo$|(^|\/)\.|\.db$|\.log$|\.tgz$/;

/** Returns what is wrong with a package that would be published with these files, a line each. */
export function packageFaults(manifest: Manifest, files: readonly string[]): string[] {
  const held = new Set(files);
  const missing = [...beside, ...targetsOf(manifest)].filter((path) => !held.has(path));
  const strange = files.filter(
    (path) => strays.test(path) || !(beside.has(path) || folders.has(path.split("/")[0] ?? "")),
  );
  const { access, provenance } = manifest.publishConfig ?? {};
  return [
    ...missing.map((path) => `${path} is missing`),
    ...strange.map((path) => `${path} does not belong there`),
    ...(access === "public" && provenance === true
      ? []
      : ["publishConfig must say access public and provenance true"]),
    ...looseSiblings(manifest),
  ];
}

/** Returns every file that the manifest refers to. */
function targetsOf({ exports, bin = {} }: Manifest): string[] {
  const targets = (exported: unknown): string[] =>
    typeof exported === "string" ? [exported] : Object.values(exported as object).flatMap(targets);
  return [...targets(exports), ...Object.values(bin)].map((path) => path.replace(/^\.\//, ""));
}

/** The packages are released together, so each must depend on its own version of the others. */
function looseSiblings({ version, dependencies = {} }: Manifest): string[] {
  return Object.entries(dependencies)
    .filter(([name, wanted]) => name.startsWith("@queue-api/") && wanted !== version)
    .map(([name, wanted]) => `${name} is wanted as ${wanted}, and must be ${version}`);
}
