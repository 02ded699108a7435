/*
 * The soak test loads this module into the server's process with `--import`. It reports the memory of the
 * process, which the server itself does not.
 */

/** In bytes. */
export interface Memory {
  /** The resident memory. */
  readonly resident: number;
  /** The JavaScript heap. After a garbage collection, only live objects. */
  readonly heap: number;
}

/** A request to the server's process. */
export interface MemoryQuestion {
  /** Whether garbage is collected first; it needs `--expose-gc`. */
  readonly collect: boolean;
}

process.on("message", ({ collect }: MemoryQuestion) => {
  if (collect) globalThis.gc?.();
  const { rss: resident, heapUsed: heap } = process.memoryUsage();
  process.send?.({ resident, heap } satisfies Memory);
});
process.channel?.unref(); // so that the channel does not keep the server running
