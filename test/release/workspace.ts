import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** The folder of the repository, for compiled and source code. */
export const repository = fileURLToPath(
  new URL("../..", pathToFileURL(createRequire(import.meta.url).resolve("@queue-api/contract"))),
);

/** The folders of the published packages, each after its dependencies. */
export const published = ["contract", "sdk", "testkit", "server"] as const;

interface Manifest {
  readonly name: string;
  readonly version: string;
  /** By the path of each entry: a file, or the files of each kind of module. */
  readonly exports: Readonly<Record<string, string | ModuleFiles>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly publishConfig?: { readonly access?: string; readonly provenance?: boolean };
}

interface ModuleFiles {
  readonly import?: { readonly types: string };
}

export async function manifestOf(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(repository, folder, "package.json"), "utf8")) as Manifest;
}
