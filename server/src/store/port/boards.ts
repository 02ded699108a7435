import type { Entry, Service } from "../../rules/records.js";
import type { QueueDay } from "./queues.js";

/** A queue on one day, as the people who serve at it see it. */
export interface QueueOnBoard extends QueueDay {
  /** The entries being served, in the order in which they were called. */
  readonly inService: readonly Entry[];
  /** The entry at position 1; null when none is waiting. */
  readonly next: Entry | null;
  /** Part of the waiting entries, in the order in which they will be called. */
  readonly line: readonly Entry[];
}

/** What a business does on one day, queue by queue. */
export interface Board {
  /** The version of the board when, or just before, the rest was read. */
  readonly version: string;
  readonly services: readonly Service[];
  readonly queues: readonly QueueOnBoard[];
}

/** Part of a queue's line. */
export interface LinePart {
  readonly queueId: string;
  /** Position of the first entry; 1 is next. */
  readonly from: number;
  /** How many entries at most. */
  readonly limit: number;
}

/** Which part of a day's lines a board shows. */
export interface BoardRequest {
  /** How many waiting entries of each queue, from position 1 on. */
  readonly limit: number;
  /** The part of one queue's line that is read instead, or null. */
  readonly part: LinePart | null;
}

/** The board of a business: all of its queues on one day. */
export interface BoardStore {
  /** All queues of a business at once, with the people in them. */
  get(businessId: string, date: string, request: BoardRequest): Promise<Board>;
  /**
   * A version that differs whenever what `get` returns for that day has changed since, whichever process
   * changed it. Reading it is one cheap step. It may differ where nothing changed, but not by itself.
   */
  version(businessId: string, date: string): Promise<string>;
}
