/*
 * Loaded into our server's process by the soak, with `--import`: tells how much memory the process
 * holds. The server itself has no such door.
 */

/** In bytes. */
export interface Memory {
  /** Resident memory, as an operator sees it. */
  readonly resident: number;
  /** The JavaScript heap; once garbage is collected, only what is really held. */
  readonly heap: number;
}

/** What the server's process is asked for. */
export interface MemoryQuestion {
  /** Whether garbage is collected first; it needs `--expose-gc`. */
  readonly collect: boolean;
}

process.on("message", ({ collect }: MemoryQuestion) => {
  if (collect) globalThis.gc?.();
  const { rss: resident, heapUsed: heap } = process.memoryUsage();
  process.send?.({ resident, heap } satisfies Memory);
});
process.channel?.unref(); // so that the server ends as if nobody listened
