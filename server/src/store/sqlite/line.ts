import type { EntryStatus } from "@queue-api/contract";
import { type Ahead, behind, type LinePace } from "../../rules/line.js";
import type { Entry } from "../../rules/records.js";
import type { StatusCounts } from "../port/business.js";

/*
 * What is counted from the entries of a queue and day, each by one range of a covering index. `day` is the
 * SQL of the three columns that name the queue and day.
 */

export interface DayColumns {
  readonly businessId: string;
  readonly queueId: string;
  readonly date: string;
}

/** The queue and day in the first three parameters of a statement. */
export const givenDay: DayColumns = { businessId: "?1", queueId: "?2", date: "?3" };

export const inDay = ({ businessId, queueId, date }: DayColumns) =>
  `business_id = ${businessId} AND queue_id = ${queueId} AND date = ${date}`;

/** The waiting entries before a place in the line, as an {@link Ahead}. */
export const aheadOf = (day: DayColumns, lineOrder: string) => `(
  SELECT json_object('people', count(*), 'knownMinutes', ifnull(sum(work_minutes), 0),
    'unknown', count(*) - count(work_minutes))
  FROM entries INDEXED BY entries_waiting
  WHERE ${inDay(day)} AND status = 'WAITING' AND line_order < ${lineOrder})`;

/** The entries of a status: how many, how many with a duration, and its sum in milliseconds. */
export type StatusRow = [status: EntryStatus, entries: number, timed: number, ms: number];

/** The rows of all statuses, or of those that decide the pace. */
export const statusesOf = (day: DayColumns, which: "all" | "pace") => `(
  SELECT json_group_array(json_array(status, entries, timed, ms)) FROM (
    SELECT status, count(*) AS entries, count(completed_at - started_at) AS timed,
      ifnull(sum(completed_at - started_at), 0) AS ms
    FROM entries INDEXED BY entries_by_status
    WHERE ${inDay(day)}${which === "pace" ? " AND status IN ('IN_SERVICE', 'COMPLETED')" : ""}
    GROUP BY status))`;

export function readPace(rows: readonly StatusRow[]): LinePace {
  const [, inService = 0] = rows.find(([status]) => status === "IN_SERVICE") ?? [];
  const [, , finished = 0, finishedMs = 0] = rows.find(([status]) => status === "COMPLETED") ?? [];
  return { inService, finished, finishedMs };
}

export function readCounts(rows: readonly StatusRow[]): StatusCounts {
  const none = { WAITING: 0, IN_SERVICE: 0, COMPLETED: 0, CANCELED: 0, NO_SHOW: 0 };
  return Object.assign(
    none,
    Object.fromEntries(rows.map(([status, entries]) => [status, entries])),
  );
}

/** The last number that a queue gave on a day, also to people who left it; 0 if there is none. */
export const lastNumber = (day: DayColumns) => `max(
  (SELECT ifnull(max(token_number), 0) FROM entries WHERE ${inDay(day)}),
  (SELECT ifnull(max(place.value ->> 'tokenNumber'), 0)
   FROM entries moved INDEXED BY entries_moved, json_each(moved.earlier_places) place
   WHERE moved.business_id = ${day.businessId} AND moved.date = ${day.date}
     AND moved.earlier_places <> '[]' AND place.value ->> 'queueId' = ${day.queueId}))`;

/** Computes what is ahead of waiting entries that are visited in token order. */
export class Places {
  #first: Ahead;
  #others: Ahead;

  /** What is ahead of the first entry visited: of one with priority, and of one without. */
  constructor(first: Ahead, others: Ahead) {
    this.#first = first;
    this.#others = others;
  }

  /** What is ahead of the next waiting entry. */
  next({ priority, workMinutes }: Entry): Ahead {
    const ahead = priority ? this.#first : this.#others;
    if (priority) this.#first = behind(ahead, workMinutes);
    else this.#others = behind(ahead, workMinutes);
    return ahead;
  }
}
