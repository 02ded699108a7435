import { wrapStore } from "../../operations.js";
import type { Store } from "../../store.js";
import { operations, type Run } from "../operations.js";
import { type Clocks, Thread } from "./thread.js";

/** SQLite has one writer at a time, so `writer` runs every step that changes something. */
type ThreadName = "writer" | "reader" | "reports";

const threadOf = {
  read: "reader",
  report: "reports",
  durable: "writer",
  volatile: "writer",
} as const satisfies Record<Run, ThreadName>;

/** A thread as the store uses it. */
type RunningThread = Pick<Thread, "call" | "close">;

type StartThread = (...given: Parameters<typeof Thread.start>) => Promise<RunningThread>;

interface ThreadedStoreOptions {
  /** Null for the system's clocks, which each thread reads itself. */
  readonly clocks: Clocks | null;
  /** Whether to create the file if it does not exist. */
  readonly create: boolean;
}

/**
 * Opens a SQLite file in separate threads, so that the event loop never waits for the disk and no request
 * waits behind a long read. Rejects for the same reasons as `openSqlite`. `start` starts a thread.
 */
export async function openThreadedStore(
  path: string,
  options: ThreadedStoreOptions,
  start: StartThread = Thread.start,
): Promise<Store> {
  const threads = await startThreads(path, options, start);
  const { writer, reader, reports } = threads;

  return {
    ...wrapStore<Run>(operations, (name, run) => {
      const thread = threads[threadOf[run]];
      return (...given) => thread.call(name, given);
    }),
    now: () => writer.call("now", []) as Promise<number>,
    ping: () => writer.call("ping", []) as Promise<void>,
    async close() {
      // The writer closes last, because it moves the log into the file, which is possible only when no other
      // connection reads.
      try {
        await closeAll([reader, reports]);
      } finally {
        await writer.close();
      }
    },
  };
}

/** Starts the writer first, because it creates the file and migrates the schema. */
async function startThreads(
  path: string,
  { create, clocks }: ThreadedStoreOptions,
  start: StartThread,
): Promise<Record<ThreadName, RunningThread>> {
  const writer = await start("writer", { path, create }, clocks);
  const [reader, reports] = await Promise.allSettled(
    ["reader", "reports"].map((name) => start(name, { path, create: false }, clocks)),
  );
  if (reader?.status === "fulfilled" && reports?.status === "fulfilled") {
    return { writer, reader: reader.value, reports: reports.value };
  }
  const others = [reader, reports].filter((thread) => thread?.status === "fulfilled");
  // Report why a thread did not start, even if another one fails to close.
  await Promise.allSettled([...others.map(({ value }) => value), writer].map((one) => one.close()));
  throw [reader, reports].find((thread) => thread?.status === "rejected")?.reason;
}

/** Closes all threads, and rejects if one of them fails to close. */
async function closeAll(threads: readonly RunningThread[]): Promise<void> {
  const ended = await Promise.allSettled(threads.map((thread) => thread.close()));
  for (const end of ended) if (end.status === "rejected") throw end.reason;
}
