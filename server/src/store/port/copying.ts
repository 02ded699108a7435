import type { Kept, Kind } from "../kept.js";

/** Copying a whole store into another. */
export interface CopyStore {
  /** Reads everything of one kind, some records at a time. Kinds that have an order come in it. */
  dump<K extends Kind>(kind: K): AsyncIterable<readonly Kept[K][]>;
  /**
   * Keeps records as another store dumped them; `offset` is the number of records of that kind before them.
   * Loading the same again changes nothing, so a copy that was stopped can begin anew.
   */
  load<K extends Kind>(kind: K, records: readonly Kept[K][], offset: number): Promise<void>;
  /** Makes what was loaded ready for use. */
  finish(): Promise<void>;
}
