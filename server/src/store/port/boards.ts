import type { Entry, Service } from "../../rules/records.js";
import type { QueueDay } from "./business.js";

/** A queue on one day, as the board shows it. */
export interface QueueOnBoard extends QueueDay {
  /** The entries in service, in the order in which they were called. */
  readonly inService: readonly Entry[];
  /** The entry at position 1; null if none is waiting. */
  readonly next: Entry | null;
  /** Part of the waiting entries, in the order in which they will be called. */
  readonly line: readonly Entry[];
}

/** The queues of a business on one day. */
export interface Board {
  /** The version of the board when the rest was read, or just before. */
  readonly version: string;
  readonly services: readonly Service[];
  readonly queues: readonly QueueOnBoard[];
}

/** Part of a queue's line. */
export interface LinePart {
  readonly queueId: string;
  /** Position of the first entry; 1 is next. */
  readonly from: number;
  /** The maximum number of entries. */
  readonly limit: number;
}

/** The part of each line that a board shows. */
export interface BoardRequest {
  /** The maximum number of waiting entries of each queue, from position 1 on. */
  readonly limit: number;
  /** The part of one queue's line to read instead, or null. */
  readonly part: LinePart | null;
}

/** The board of a business: all of its queues on one day. */
export interface BoardStore {
  /** All queues of a business in one step, with their entries. */
  get(businessId: string, date: string, request: BoardRequest): Promise<Board>;
  /**
   * A version that changes whenever the result of `get` for that day changes, in any process. Reading it is
   * one cheap step. It may also differ if nothing changed, but it does not change without a write.
   */
  version(businessId: string, date: string): Promise<string>;
}
