import type { Clock, Random } from "../rules/ports.js";
import { MemoryStore } from "./memory/memory-store.js";
import type { Store } from "./store.js";
import { StoreOpenError } from "./store-open-error.js";

/** What a store is handed instead of taking it from the air. */
export interface StoreOptions {
  /** The store's own time: windows, leases and expiry go by it. */
  readonly clock: Clock;
  /** For adapters that have to make something unique of their own. */
  readonly random: Random;
}

/**
 * Opens the store that a database URL names: `memory:` keeps everything in this process and forgets
 * it at the end.
 *
 * @throws StoreOpenError with one line that says what to do.
 */
export async function openStore(databaseUrl: string, { clock }: StoreOptions): Promise<Store> {
  if (databaseUrl === "memory:") return new MemoryStore(clock);
  throw new StoreOpenError("The database URL is not known. Use memory:");
}
