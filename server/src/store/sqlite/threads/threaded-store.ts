import type { Store } from "../../store.js";
import { type Noun, operations, type ThreadName } from "./operations.js";
import { type Clocks, Thread } from "./thread.js";

interface ThreadedStoreOptions {
  /** Null for the system's, which each thread reads itself. */
  readonly clocks: Clocks | null;
  /** Whether to make the file when there is none. */
  readonly create: boolean;
}

/**
 * Opens a SQLite file in threads of their own, so that the event loop never waits for the disk, and no
 * request waits behind a long read. Fails as `openSqlite` fails.
 */
export async function openThreadedStore(
  path: string,
  { clocks, create }: ThreadedStoreOptions,
): Promise<Store> {
  const threads = await startThreads(path, create, clocks);
  const { writer, reader, reports } = threads;

  const nouns = Object.entries(operations).map(([noun, table]) => {
    const calls = Object.entries(table).map(([operation, name]) => {
      const thread = threads[name as ThreadName];
      return [operation, (...given: unknown[]) => thread.call(`${noun}.${operation}`, given)];
    });
    return [noun, Object.fromEntries(calls)];
  });
  return {
    ...(Object.fromEntries(nouns) as Pick<Store, Noun>),
    now: () => writer.call("now", []) as Promise<number>,
    ping: () => writer.call("ping", []) as Promise<void>,
    async close() {
      // The writer last: it moves the log into the file, which it can only do when nothing is read any more.
      await Promise.all([reader.close(), reports.close()]);
      await writer.close();
    },
  };
}

/** The writer first: it makes the file and brings the schema up to date. */
async function startThreads(path: string, create: boolean, clocks: Clocks | null) {
  const writer = await Thread.start("writer", { path, create }, clocks);
  try {
    const [reader, reports] = await Promise.all(
      (["reader", "reports"] as const).map((name) =>
        Thread.start(name, { path, create: false }, clocks),
      ),
    );
    return { writer, reader, reports } as Record<ThreadName, Thread>;
  } catch (error) {
    await writer.close();
    throw error;
  }
}
