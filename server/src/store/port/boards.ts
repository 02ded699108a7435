import type { Entry, Service } from "../../rules/records.js";
import type { QueueDay } from "./queues.js";

/** A queue on one day, as the people who serve at it see it. */
export interface QueueOnBoard extends QueueDay {
  /** The entries being served, in the order in which they were called. */
  readonly inService: readonly Entry[];
  /** The waiting entries, in the order in which they will be called; perhaps only the first of them. */
  readonly line: readonly Entry[];
}

/** What a business does on one day, queue by queue. */
export interface Board {
  /** The version of the board when, or just before, the rest was read. */
  readonly version: string;
  readonly services: readonly Service[];
  readonly queues: readonly QueueOnBoard[];
}

/** Which part of a day's lines a board shows. */
export interface BoardRequest {
  /** How many waiting entries of each queue. */
  readonly limit: number;
  /** A queue of which every waiting entry is read, or null. */
  readonly wholeLine: string | null;
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
