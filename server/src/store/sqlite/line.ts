import type { EntryStatus } from "@queue-api/contract";
import { type Ahead, behind } from "../../rules/line.js";
import type { Entry } from "../../rules/records.js";

/*
 * What is counted from the entries of a queue and day, each by one range of a covering index. `day` is the
 * SQL of the three columns that name the queue and day.
 */

/** The queue and day in the first three parameters of a statement. */
export const givenDay = { businessId: "?1", queueId: "?2", date: "?3" };

type DayColumns = typeof givenDay;

export const inDay = ({ businessId, queueId, date }: DayColumns) =>
  `business_id = ${businessId} AND queue_id = ${queueId} AND date = ${date}`;

/** The waiting entries before a place in the line, as an {@link Ahead}. */
export const aheadOf = (day: DayColumns, lineOrder: string) => `(
  SELECT json_object('people', count(*), 'knownMinutes', ifnull(sum(work_minutes), 0),
    'unknown', count(*) - count(work_minutes))
  FROM entries INDEXED BY entries_waiting
  WHERE ${inDay(day)} AND status = 'WAITING' AND line_order < ${lineOrder})`;

const ofStatus = (day: DayColumns, status: EntryStatus) =>
  `FROM entries INDEXED BY entries_by_status WHERE ${inDay(day)} AND status = '${status}'`;

/** The pace of the queue on the day, as a `LinePace`. */
export const paceOf = (day: DayColumns) => `(
  SELECT json_object('inService', (SELECT count(*) ${ofStatus(day, "IN_SERVICE")}),
    'finished', count(completed_at - started_at),
    'finishedMs', ifnull(sum(completed_at - started_at), 0))
  ${ofStatus(day, "COMPLETED")})`;

/** The number of entries of each status that occurs. */
export const countsOf = (day: DayColumns) => `(
  SELECT json_group_object(status, entries) FROM (
    SELECT status, count(*) AS entries FROM entries INDEXED BY entries_by_status
    WHERE ${inDay(day)} GROUP BY status))`;

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
  next({ priority, workMinutes }: Pick<Entry, "priority" | "workMinutes">): Ahead {
    const ahead = priority ? this.#first : this.#others;
    if (priority) this.#first = behind(ahead, workMinutes);
    else this.#others = behind(ahead, workMinutes);
    return ahead;
  }
}
