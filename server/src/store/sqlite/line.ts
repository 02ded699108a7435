import { type Ahead, behind, type LinePace, noneAhead } from "../../rules/line.js";

/**
 * 32 consecutive token numbers are a block of level 1, and 32 of those are a block of level 2. The triggers
 * of the schema use the same numbers.
 */
export const blockBits = { 1: 5, 2: 10 } as const;

/** Waiting entries, as SQL counts them. */
export type AheadRow = [people: number, knownMinutes: number, unknown: number];

export const paceColumns = (l: string) =>
  `${l}.in_service, ${l}.finished, ${l}.finished_milliseconds`;

export type PaceRow = [inService: number, finished: number, finishedMs: number];

export function readPace([inService, finished, finishedMs]: PaceRow): LinePace {
  return { inService, finished, finishedMs };
}

/** The counts of all waiting entries of a line; below, the counts of those with priority. */
export const allWaiting = (l: string) =>
  `json_array(${l}.waiting, ${l}.known_minutes, ${l}.unknown)`;
export const priorityWaiting = (l: string) =>
  `json_array(${l}.priority_waiting, ${l}.priority_known_minutes, ${l}.priority_unknown)`;

/**
 * The waiting entries of one class (with or without priority) with a number below this one: whole large
 * blocks, then whole small ones, then the remaining entries. Three rows, to be added up.
 */
export function waitingBelow(line: string, priority: string, number: string): string {
  const small = `(${number} >> ${blockBits[1]})`;
  const large = `(${number} >> ${blockBits[2]})`;
  const blocks = (level: number, from: string, to: string) => `(
    SELECT json_array(ifnull(sum(waiting), 0), ifnull(sum(known_minutes), 0), ifnull(sum(unknown), 0))
    FROM line_blocks
    WHERE line_id = ${line} AND priority = ${priority}
      AND level = ${level} AND block >= ${from} AND block < ${to})`;
  return `json_array(
    ${blocks(2, "0", large)},
    ${blocks(1, `(${large} << ${blockBits[2] - blockBits[1]})`, small)},
    (SELECT json_array(count(*), ifnull(sum(work_minutes), 0), count(*) - count(work_minutes))
     FROM entries
     WHERE line_id = ${line} AND status = 'WAITING' AND priority = ${priority}
       AND token_number >= (${small} << ${blockBits[1]}) AND token_number < ${number}))`;
}

/** The sum of these rows. */
export function together(rows: readonly AheadRow[]): Ahead {
  let all = noneAhead;
  for (const [people, knownMinutes, unknown] of rows) {
    all = {
      people: all.people + people,
      knownMinutes: all.knownMinutes + knownMinutes,
      unknown: all.unknown + unknown,
    };
  }
  return all;
}

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
  next(entry: { readonly priority: boolean; readonly workMinutes: number | null }): Ahead {
    if (entry.priority) {
      const ahead = this.#first;
      this.#first = behind(ahead, entry.workMinutes);
      return ahead;
    }
    const ahead = this.#others;
    this.#others = behind(ahead, entry.workMinutes);
    return ahead;
  }
}
