import { refuseIssue } from "../../rules/issue.js";
import type { Ahead, LinePace } from "../../rules/line.js";
import type { Queue, Service } from "../../rules/records.js";
import type { LineDoc } from "./collections/days.js";
import { aheadOfNewcomer, type Counted, contributionOf, paceOf, withContribution } from "./line.js";
import { latestMs, type NumberRequest } from "./line-pipeline.js";
import { type Report, raisesDoubt } from "./reports.js";

/*
 * The pipelines of `line-pipeline.ts` as functions: for a response from the line that a command found, and
 * for a line that is computed here and written only if it has not changed.
 */

/** A token that needs a number, with the facts that decide whether it receives one. */
export interface Newcomer extends NumberRequest {
  readonly businessId: string;
  readonly queue: Queue;
  readonly service: Service | null;
  readonly serviceAsked: boolean;
  readonly date: string;
}

/** A number of a token, and the line before it. */
export interface Place {
  readonly tokenNumber: number;
  readonly ahead: Ahead;
  readonly pace: LinePace;
}

/** A line with the number of tokens that its business has created on that day. */
export interface DayLine {
  readonly created: number;
  readonly line: LineDoc;
}

/** Repeats `giveNumbers`: the place of each token, in the same order, and the line with them. */
export function withNumbers(
  before: DayLine,
  newcomers: readonly Newcomer[],
): { readonly places: readonly (Place | "plan_limit_reached")[]; readonly after: DayLine } {
  let { created, line } = before;
  const places = newcomers.map((newcomer) => {
    const { queue, service, serviceAsked, dailyTokenLimit, priority } = newcomer;
    const facts = { queue, service, createdToday: created, dailyTokenLimit };
    if (refuseIssue(serviceAsked, facts)) return "plan_limit_reached";
    const tokenNumber = line.last + 1;
    const place = { tokenNumber, ahead: aheadOfNewcomer(line, priority), pace: paceOf(line) };
    const joined = contributionOf(waiting(newcomer, tokenNumber));
    line = { ...line, ...withContribution(line, joined), last: tokenNumber };
    created++;
    return place;
  });
  return { places, after: { created, line } };
}

/** Repeats `reported`: the line with a process's report. */
export function withReport(line: LineDoc, report: Report, now: number): LineDoc {
  const { instance, open: n, turn, doubt } = report;
  const isNewer = turn > (line.open[instance]?.turn ?? 0);
  return {
    ...line,
    revision: line.revision + 1,
    stamp: `${instance} ${turn}`,
    doubt: line.doubt || raisesDoubt(report, line),
    ...(doubt && { lateUntil: now + latestMs }),
    open: { ...line.open, ...(isNewer && { [instance]: { n, turn, at: now } }) },
  };
}

/** The fields that a new token adds to its line. */
export function waiting(
  { priority, workMinutes }: Pick<NumberRequest, "priority" | "workMinutes">,
  tokenNumber: number,
): Counted {
  const times = { startedAt: null, completedAt: null };
  return { status: "WAITING", priority, workMinutes, tokenNumber, ...times };
}
