import type { Command } from "commander";
import { readConfig } from "../config.js";
import { pooledRandom } from "../lib/system.js";
import type { Random } from "../rules/ports.js";
import { openStore } from "../store/open.js";
import type { Store } from "../store/store.js";
import { type Output, print } from "./output.js";

/** Options that every command takes. */
export interface GlobalOptions {
  /** `--database`. Default: `DATABASE_URL`, else the default database. */
  readonly database?: string;
  readonly json?: true;
}

/** The arguments of an owner's command. */
export interface CommandContext {
  readonly store: Store;
  /** The store's time. */
  readonly now: number;
  readonly random: Random;
}

/** The URL of a command's database: `--database`, else `DATABASE_URL`, else the default. */
export function databaseUrl({ database }: GlobalOptions): string {
  return readConfig({ DATABASE_URL: database ?? process.env.DATABASE_URL }).databaseUrl;
}

/**
 * Opens the database, does the work, prints its output and closes the database. A missing database is an error unless
 * `create` is true: a mistyped path must not create an empty database.
 */
export async function runOwner(
  command: Command,
  work: (context: CommandContext) => Promise<Output>,
  { create = false }: { readonly create?: boolean } = {},
): Promise<void> {
  const options = command.optsWithGlobals<GlobalOptions>();
  const random = pooledRandom();
  const store = await openStore(databaseUrl(options), { random, create });
  try {
    print(await work({ store, now: await store.now(), random }), options.json ?? false);
  } finally {
    await store.close();
  }
}
