import type { Kept, Kind } from "../kept.js";
import type { Part } from "./page.js";

/** Copying a whole store into another. */
export interface CopyStore {
  /**
   * Reads the records of one kind: the part after a `next`, or (null) the first one. Kinds that have an
   * order come in it. One dump of a kind runs at a time.
   */
  dump<K extends Kind>(kind: K, after: string | null): Promise<Part<Kept[K]>>;
  /**
   * Keeps records as another store dumped them; `offset` is the number of records of that kind before them.
   * Loading the same data again changes nothing, so a copy that was stopped can start again.
   */
  load<K extends Kind>(kind: K, records: readonly Kept[K][], offset: number): Promise<void>;
  /** Makes what was loaded ready for use. */
  finish(): Promise<void>;
}
