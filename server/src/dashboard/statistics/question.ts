import { addDays, businessDay } from "../../rules/business-day.js";
import type { Queue, Service } from "../../rules/records.js";
import type { StatisticsReport } from "../../rules/statistics.js";
import type { DayRange } from "../../store/port/statistics.js";
import { abortSignalOf, orNotFound, unlessBusy } from "../errors.js";
import { type FormResult, readDays, type Typed } from "../forms.js";
import type { Visit } from "../page.js";

/** The question of a URL `?from=&to=&queue=`, with what its page or file names. */
export interface Question {
  readonly queues: readonly Queue[];
  readonly services: readonly Service[];
  /** Null for all queues. */
  readonly queue: Queue | null;
  readonly range: FormResult<DayRange>;
  readonly today: string;
}

/** @throws PageNotFound if the business has no queue with that id. */
export async function readQuestion({ req, store, business }: Visit): Promise<Question> {
  const [queues, services, now] = await Promise.all([
    store.queues.list(business.id),
    store.services.list(business.id),
    store.now(),
  ]);
  const typed = req.query as Typed;
  const today = businessDay(now, business.timezone);
  const queue = typed.queue ? orNotFound(queues.find(({ id }) => id === typed.queue)) : null;
  return { queues, services, queue, range: readRange(typed, today), today };
}

/** The numbers of these days. `queue`: null for all queues. */
export function reportOn(
  { res, business, reports }: Visit,
  queue: Queue | null,
  days: DayRange,
): Promise<StatisticsReport> {
  const asked = { days, queueId: queue?.id ?? null };
  return unlessBusy(reports.read(business, asked, abortSignalOf(res)));
}

/** The longest range that one page shows. */
const mostDays = 92;

/** The labels of the two ends of a range. */
export const rangeLabels = { from: "From", to: "To" } as const;

/** The most common ranges, by their number of days; each ends today. */
export const usualRanges = [
  { days: 1, label: "Today" },
  { days: 7, label: "7 days" },
  { days: 28, label: "4 weeks" },
] as const;

/** The last days up to today, today included. */
export function lastDays(today: string, days: number): DayRange {
  return { first: addDays(today, 1 - days), last: today };
}

/** Reads `from` and `to` from a URL. One alone means that day; neither means today. */
function readRange(typed: Typed, today: string): FormResult<DayRange> {
  const read = readDays(typed, rangeLabels);
  if (!read.ok) return read;
  const { from, to } = read.value;
  const first = from ?? to ?? today;
  const last = to ?? from ?? today;
  const refused = (fault: string) => ({
    ok: false as const,
    state: { typed, errors: { "": fault } },
  });
  const length = lengthOf({ first, last });
  if (length < 1) return refused("The first day must not lie after the last one.");
  if (length > mostDays) return refused(`At most ${mostDays} days can be shown together.`);
  return { ok: true, value: { first, last } };
}

/** Every day of a range. */
export function daysOf(range: DayRange): string[] {
  return Array.from({ length: lengthOf(range) }, (_, number) => addDays(range.first, number));
}

function lengthOf({ first, last }: DayRange): number {
  return (Date.parse(last) - Date.parse(first)) / 86_400_000 + 1;
}
