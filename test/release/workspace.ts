import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const repository = fileURLToPath(new URL("../..", import.meta.url));

/** The folders of the published packages, each after its dependencies. */
export const published = ["contract", "sdk", "testkit", "server"] as const;

interface Manifest {
  readonly version: string;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly publishConfig?: object;
}

export async function manifestOf(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(repository, folder, "package.json"), "utf8"));
}
