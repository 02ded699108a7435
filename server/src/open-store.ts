import { type Store, storeOn } from "./operations/store.js";
import { StoreOpenError } from "./store/errors.js";
import { fileOf, openDatabase } from "./store/open.js";
import type { StoreOptions } from "./store/options.js";
import { threadedStore } from "./threaded-store.js";

/**
 * Opens the database of a URL (see `openDatabase`), and binds the operations of the service to it.
 *
 * @throws StoreOpenError with one line that says what to do, or StoreUnavailableError if a server cannot be
 * reached at the moment.
 */
export async function openStore(databaseUrl: string, options: StoreOptions): Promise<Store> {
  const port = await openDatabase(databaseUrl, options);
  const isThreaded = options.threads && fileOf(databaseUrl) !== null;
  const store = isThreaded ? await threadedStore(port, databaseUrl) : storeOn(port);
  if (options.forCopy || !(await store.imports.isCopying())) return store;
  await store.close();
  throw new StoreOpenError(
    "The database is the target of an unfinished copy: run the same queue-api database copy again.",
  );
}
