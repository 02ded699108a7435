import type { Command } from "commander";
import { readConfig } from "../config.js";
import { pooledRandom } from "../lib/system.js";
import type { Random } from "../rules/ports.js";
import { openStore } from "../store/open.js";
import type { Store } from "../store/store.js";
import { type Output, print } from "./output.js";

/** Options that every command takes. */
export interface GlobalOptions {
  /** `--database`; absent when only the environment or the default may say. */
  readonly database?: string;
  readonly json?: true;
}

/** What an owner's command works with. */
export interface CommandContext {
  readonly store: Store;
  /** The store's time. */
  readonly now: number;
  readonly random: Random;
}

/** The database a command works on: `--database`, else `DATABASE_URL`, else the default. */
export function databaseUrl({ database }: GlobalOptions): string {
  return readConfig({ DATABASE_URL: database ?? process.env.DATABASE_URL }).databaseUrl;
}

/**
 * Opens the database, prints what the work answers, and closes the database again. One that is not there
 * is an error, unless the command may make it: a mistyped path must not become an empty database.
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
