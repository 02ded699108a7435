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

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly exports: Readonly<Record<string, Exported>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly publishConfig?: { readonly access?: string; readonly provenance?: boolean };
}

type Exported = string | { readonly [condition: string]: Exported };

export async function manifestOf(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(repository, folder, "package.json"), "utf8")) as Manifest;
}

/** An entry point of a package. */
export interface EntryPoint {
  /** The path of its declarations in the package's folder. */
  readonly types: string;
  /** The name of its report. `index` is the package itself. */
  readonly name: string;
}

/** Returns the entry points of a package from its `exports`. */
export function entryPointsOf({ exports }: Manifest): EntryPoint[] {
  return Object.entries(exports).flatMap(([path, exported]) => {
    const types = typesOf(exported);
    return types === null
      ? []
      : [{ types, name: path === "." ? "index" : path.slice("./".length) }];
  });
}

function typesOf(exported: Exported): string | null {
  if (typeof exported === "string") return null;
  const { types, import: imported } = exported;
  return typeof types === "string" ? types : imported === undefined ? null : typesOf(imported);
}
