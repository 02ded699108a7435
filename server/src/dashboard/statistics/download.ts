import type { RequestHandler } from "express";
import { noStatistics, type Statistics } from "../../rules/statistics.js";
import { type CsvCell, sendCsv } from "../csv.js";
import { PageRefusal } from "../errors.js";
import type { DashboardDeps } from "../page.js";
import { readQuestion, reportOn } from "./question.js";
import { daysOf } from "./range.js";
import type { Reports } from "./reports.js";

const headings = [
  ...["group", "name", "arrivals", "served", "no_shows", "canceled", "not_ended"],
  ...["wait_median_minutes", "wait_90_percent_minutes", "wait_longest_minutes"],
  ...["served_median_minutes", "served_90_percent_minutes", "served_longest_minutes"],
];

/** `GET /statistics/download?from=&to=&queue=`: the same numbers as a file, by day, queue and service. */
export function downloadStatistics({ store }: DashboardDeps, reports: Reports): RequestHandler {
  return async (req, res) => {
    const question = await readQuestion(store, req, res);
    const { business, queues, services, queue, range } = question;
    if (!range.ok) throw new PageRefusal(422, "No such days", "Choose the days on Statistics.");
    const days = range.value;
    const report = await reportOn(question, days, reports, res);
    const of = (group: string, name: string, numbers: Statistics | undefined) =>
      rowOf(group, name, numbers ?? noStatistics);
    const rows = [
      of("total", "", report.total),
      ...daysOf(days).map((day) => of("day", day, report.byDay.get(day))),
      ...queues
        .filter(({ id }) => queue === null || queue.id === id)
        .map(({ id, name }) => of("queue", name, report.byQueue.get(id))),
      ...services.map(({ id, name }) => of("service", name, report.byService.get(id))),
      of("service", "", report.byService.get(null)),
    ];
    async function* parts() {
      yield rows;
    }
    const name = `statistics-${business.slug}-${days.first}-${days.last}.csv`;
    await sendCsv(res, name, headings, parts());
  };
}

function rowOf(group: string, name: string, numbers: Statistics): CsvCell[] {
  const { arrivals, served, noShows, canceled, open, waits, services } = numbers;
  const times = [waits, services].flatMap(({ median, ninetieth, longest }) => [
    ...[median ?? "", ninetieth ?? "", longest ?? ""],
  ]);
  return [group, name, arrivals, served, noShows, canceled, open, ...times];
}
