import type { Kept, Kind } from "../kept.js";
import type { Part } from "./page.js";

/** Copying a whole store into another. */
export interface CopyStore {
  /**
   * Reads the records of one kind: the part at a `next`, or (null) the first one. Kinds with an order are
   * read in it. Only one dump of a kind may run at a time.
   */
  dump<K extends Kind>(kind: K, after: string | null): Promise<Part<Kept[K]>>;
  /**
   * Stores records that another store dumped. `offset` is the number of records of that kind before them.
   * Loading the same data again changes nothing, so an interrupted copy can be started again.
   */
  load<K extends Kind>(kind: K, records: readonly Kept[K][], offset: number): Promise<void>;
  /** Completes the load, so that the data is ready for use. */
  finish(): Promise<void>;
}
