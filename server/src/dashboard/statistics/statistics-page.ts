import { day as dayFormat } from "@queue-api/contract";
import type { Response } from "express";
import { z } from "zod";
import { type Html, html } from "../../lib/html.js";
import { addDays, businessDay } from "../../rules/business-day.js";
import {
  type DayRange,
  noStatistics,
  type Statistics,
  type StatisticsReport,
} from "../../rules/statistics.js";
import { type CsvColumns, sendCsv } from "../csv.js";
import { inHours } from "../date-format.js";
import {
  asTextOrNull,
  checkTyped,
  type FormResult,
  formError,
  inputs,
  inRow,
  type Typed,
  untouchedForm,
} from "../forms.js";
import type { View } from "../layout.js";
import { abortSignalOf, orNotFound, PageError, unlessBusy } from "../page-error.js";
import { dashboardPath } from "../request.js";
import { table } from "../tables.js";
import type { Visit } from "../visit.js";

/** `GET /statistics?from=&to=&queue=`: what happened on these days, in one queue or in all. */
export async function showStatistics(visit: Visit): Promise<View> {
  const { res } = visit;
  const query = await readQuery(visit);
  const isInvalid = query.state !== untouchedForm;
  const numbers = isInvalid ? null : await numbersOf(res, query, await reportOn(visit, query));
  const body = html`<div id="statistics" data-live>
${rangeForm(res, query)}${numbers}</div>
`;
  return { title: "Statistics", body, status: isInvalid ? 422 : 200 };
}

/** The URL query that requests these numbers. */
function queryOf({ days, queue }: Pick<Query, "days" | "queue">): URLSearchParams {
  return new URLSearchParams({
    from: days.first,
    to: days.last,
    ...(queue && { queue: queue.id }),
  });
}

function rangeForm(res: Response, { days, queue, today, queues, state }: Query): Html {
  const here = dashboardPath(res, "/statistics");
  const ranges = usualRanges.map(({ days: count, label }) => {
    const { first, last } = lastDays(today, count);
    const query = queryOf({ days: { first, last }, queue });
    const current = first === days.first && last === days.last;
    return html`<a class="button" href="${here}?${query.toString()}"${current && html` aria-current="true"`}>${label}</a>`;
  });
  const { text, select } = inputs(state, fields);
  const names = queues.map(({ id, name }) => ({ value: id, label: name }));
  const options = [{ value: "", label: "All queues" }, ...names];
  const until = { type: "date", attributes: html`max="${today}"` } as const;
  return html`<form class="card filters" method="get" action="${here}">
<p class="actions">${ranges}</p>
${formError(state)}${inRow(
  text({ name: "from", value: days.first, ...until }),
  text({ name: "to", value: days.last, ...until }),
  select({ name: "queue", label: "Queue", options, value: queue?.id }),
)}<div class="actions"><button>Show</button></div>
</form>
`;
}

function emptyDays(res: Response, { days, today }: Query): Html {
  const isToday = days.first === today;
  const { first, last } = lastDays(today, 28);
  return html`<div class="empty">
<p>${isToday ? "No tokens were issued today." : "No tokens were issued on these days."} Each token counts here as soon as it is issued.</p>
<p><a class="button" href="${dashboardPath(res, `/statistics?from=${first}&to=${last}`)}">The last four weeks</a></p>
</div>
`;
}

async function numbersOf(res: Response, query: Query, report: StatisticsReport): Promise<Html> {
  if (report.byQueue.size === 0) return emptyDays(res, query);
  const { days, queue, queues, services } = query;
  // Loaded here only, because d3 is many modules, which would make each start slower.
  const { arrivalsChart, endsChart, waitsChart } = await import("./charts.js");
  const byDay = daysOf(days).map((day) => ({
    day,
    statistics: report.byDay.get(day) ?? noStatistics,
  }));
  return html`${tiles(report.total)}<div class="charts">
${report.total.arrivals > 0 && arrivalsChart(report.total)}${byDay.length > 1 && html`${waitsChart(byDay)}${endsChart(byDay)}`}${
  queue === null && queues.length > 1 && comparison("queue", queues, report.byQueue)
}${services.length > 0 && comparison("service", [...services, noService], report.byService)}</div>
<p class="actions"><a class="button" href="${dashboardPath(res, `/statistics/download?${queryOf({ days, queue })}`)}">Download as CSV</a></p>
`;
}

function tiles({
  arrivals,
  served,
  noShows,
  canceled,
  open,
  waits,
  serviceTimes,
}: Statistics): Html {
  const minutes = (wait: number | null) => (wait === null ? "–" : inHours(wait));
  const tile = (label: string, value: string | number) =>
    html`<div class="tile"><dt>${label}</dt><dd>${value}</dd></div>
`;
  return html`<dl class="tiles">
${tile("Arrivals", arrivals)}${tile("Completed", served)}${tile("No-shows", noShows)}${tile("Canceled", canceled)}${open > 0 && tile("Not ended", open)}${tile("Median wait", minutes(waits.median))}${tile("90 % waited at most", minutes(waits.ninetieth))}${tile("Median service time", minutes(serviceTimes.median))}</dl>
`;
}

/** The row of entries without a service. */
const noService = { id: null, name: "No service" };

/** The same numbers side by side: a row for each queue, or for each requested service. */
function comparison<Id>(
  kind: "queue" | "service",
  named: readonly { readonly id: Id; readonly name: string }[],
  numbers: ReadonlyMap<Id, Statistics>,
): Html {
  const rows = named
    .filter(({ id }) => kind === "queue" || numbers.has(id))
    .map(({ id, name }) => {
      const statistics = numbers.get(id) ?? noStatistics;
      return {
        [kind === "queue" ? "Queue" : "Service"]: name,
        Arrivals: statistics.arrivals,
        Completed: statistics.served,
        "No-shows": statistics.noShows,
        Canceled: statistics.canceled,
        Median: statistics.waits.median,
        "90 %": statistics.waits.ninetieth,
        "Service time": statistics.serviceTimes.median,
      };
    });
  return html`<section class="card">
<h2 id="by-${kind}">By ${kind}</h2>
<p class="soft">Waits, and the median service time, in minutes.</p>
<div class="scrolls" tabindex="0" role="region" aria-labelledby="by-${kind}">${table(rows)}</div>
</section>
`;
}

/** The columns of the file. A row is of a group, such as one of the days. */
const columns: CsvColumns<Statistics & { group: string; name: string }> = {
  group: ({ group }) => group,
  name: ({ name }) => name,
  arrivals: ({ arrivals }) => arrivals,
  served: ({ served }) => served,
  no_shows: ({ noShows }) => noShows,
  canceled: ({ canceled }) => canceled,
  not_ended: ({ open }) => open,
  wait_median_minutes: ({ waits }) => waits.median,
  wait_90_percent_minutes: ({ waits }) => waits.ninetieth,
  wait_longest_minutes: ({ waits }) => waits.longest,
  served_median_minutes: ({ serviceTimes }) => serviceTimes.median,
  served_90_percent_minutes: ({ serviceTimes }) => serviceTimes.ninetieth,
  served_longest_minutes: ({ serviceTimes }) => serviceTimes.longest,
};

/** `GET /statistics/download?from=&to=&queue=`: the same numbers as a file, by day, queue and service. */
export async function downloadStatistics(visit: Visit): Promise<undefined> {
  const { business, res } = visit;
  const query = await readQuery(visit);
  const { queues, services, queue, days, state } = query;
  if (state !== untouchedForm)
    throw new PageError(422, "These days are not valid", "Choose the days on the page Statistics.");
  const report = await reportOn(visit, query);
  const of = (group: string, name: string, numbers: Statistics = noStatistics) => ({
    ...numbers,
    group,
    name,
  });
  const rows = [
    of("total", "", report.total),
    ...daysOf(days).map((day) => of("day", day, report.byDay.get(day))),
    ...queues
      .filter(({ id }) => queue === null || queue.id === id)
      .map(({ id, name }) => of("queue", name, report.byQueue.get(id))),
    ...services.map(({ id, name }) => of("service", name, report.byService.get(id))),
    of("service", "", report.byService.get(null)),
  ];
  const name = `statistics-${business.slug}-${days.first}-${days.last}.csv`;
  await sendCsv(res, name, columns, [rows]);
}

/**
 * Reads what a URL `?from=&to=&queue=` asks for: a null queue for all of them, and today if the URL is invalid. Adds what
 * its page or file names.
 *
 * @throws PageNotFound if the business has no queue with that id
 */
async function readQuery({ req, store, business }: Visit) {
  const [queues, services] = await Promise.all([
    store.queues.list(business.id),
    store.services.list(business.id),
  ]);
  const typed = req.query as Typed;
  const today = businessDay(store.now(), business.timezone);
  const queue = typed.queue ? orNotFound(queues.find(({ id }) => id === typed.queue)) : null;
  const range = readRange(typed, today);
  const days = range.ok ? range.value : lastDays(today, 1);
  return { queues, services, queue, days, state: range.ok ? untouchedForm : range.state, today };
}

type Query = Awaited<ReturnType<typeof readQuery>>;

function reportOn({ res, business, reports }: Visit, { days, queue }: Query) {
  const query = { days, queueId: queue?.id ?? null };
  return unlessBusy(reports.read(business, query, abortSignalOf(res)));
}

/** The longest range that one page shows. */
const maxDays = 92;

/** The two ends of a range. */
const askedDays = z.object({ from: dayFormat.nullable(), to: dayFormat.nullable() });
const fields = {
  from: { label: "From", read: asTextOrNull },
  to: { label: "To", read: asTextOrNull },
};

/** The most common ranges, by their number of days; each ends today. */
const usualRanges = [
  { days: 1, label: "Today" },
  { days: 7, label: "7 days" },
  { days: 28, label: "4 weeks" },
] as const;

/** The last days up to today, today included. */
function lastDays(today: string, days: number): DayRange {
  return { first: addDays(today, 1 - days), last: today };
}

/** Reads `from` and `to` from a URL. One alone means that day; neither means today. */
function readRange(typed: Typed, today: string): FormResult<DayRange> {
  const read = checkTyped(typed, askedDays, fields);
  if (!read.ok) return read;
  const { from, to } = read.value;
  const first = from ?? to ?? today;
  const last = to ?? from ?? today;
  const invalid = (message: string) => ({
    ok: false as const,
    state: { typed, errors: { "": message } },
  });
  const length = lengthOf({ first, last });
  if (length < 1) return invalid("The first day must not lie after the last one.");
  if (length > maxDays) return invalid(`At most ${maxDays} days can be shown together.`);
  return { ok: true, value: { first, last } };
}

/** Every day of a range. */
function daysOf(range: DayRange): string[] {
  return Array.from({ length: lengthOf(range) }, (_, number) => addDays(range.first, number));
}

function lengthOf({ first, last }: DayRange): number {
  return (Date.parse(last) - Date.parse(first)) / 86_400_000 + 1;
}
