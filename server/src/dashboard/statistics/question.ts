import type { Request, Response } from "express";
import { businessDay } from "../../rules/business-day.js";
import type { Business, Queue, Service } from "../../rules/records.js";
import type { StatisticsReport } from "../../rules/statistics.js";
import type { DayRange } from "../../store/port/statistics.js";
import type { Store } from "../../store/store.js";
import { orNotFound } from "../errors.js";
import type { FormResult, Typed } from "../forms.js";
import { abortSignalOf } from "../request-aborted.js";
import { signedIn } from "../signed-in.js";
import { unlessBusy } from "../unless-busy.js";
import { readRange } from "./range.js";
import type { Reports } from "./reports.js";

/** The question of a URL `?from=&to=&queue=`, with what its page or file names. */
export interface Question {
  readonly business: Business;
  readonly queues: readonly Queue[];
  readonly services: readonly Service[];
  /** Null for all queues. */
  readonly queue: Queue | null;
  readonly range: FormResult<DayRange>;
  readonly today: string;
}

/** @throws PageNotFound if the business has no queue with that id. */
export async function readQuestion(store: Store, req: Request, res: Response): Promise<Question> {
  const { business } = signedIn(res);
  const [queues, services, now] = await Promise.all([
    store.queues.list(business.id),
    store.services.list(business.id),
    store.now(),
  ]);
  const typed = req.query as Typed;
  const today = businessDay(now, business.timezone);
  const queue = typed.queue ? orNotFound(queues.find(({ id }) => id === typed.queue)) : null;
  return { business, queues, services, queue, range: readRange(typed, today), today };
}

/** The numbers of these days. */
export function reportOn(
  { business, queue }: Question,
  days: DayRange,
  reports: Reports,
  res: Response,
): Promise<StatisticsReport> {
  const asked = { days, queueId: queue?.id ?? null };
  return unlessBusy(reports.read(business, asked, abortSignalOf(res)));
}
