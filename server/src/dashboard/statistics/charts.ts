import { type ScaleBand, type ScalePoint, scaleBand, scaleLinear, scalePoint } from "d3-scale";
import { line } from "d3-shape";
import { type Html, html } from "../../lib/html.js";
import type { Statistics } from "../../rules/statistics.js";
import { dayInShort, dayInWords } from "../date-format.js";
import { table } from "../tables.js";

/** What happened on one day. */
export interface DayStatistics {
  readonly day: string;
  readonly statistics: Statistics;
}

/** A vertical scale from zero to a round number, with ticks at round numbers. */
function uprightScale(highest: number) {
  const scale = scaleLinear([0, Math.max(4, highest)], [plot.bottom, plot.top]).nice(4);
  const ticks = scale.ticks(4).filter(Number.isInteger);
  return { scale, upright: ticks.map((value) => ({ at: scale(value), label: `${value}` })) };
}

function hourName(hour: number): string {
  return `${String(hour).padStart(2, "0")}:00`;
}

/** Arrivals in each hour of the day, as bars. */
export function arrivalsChart({ arrivals, arrivalsByHour }: Statistics): Html {
  const hours = arrivalsByHour.map((count, hour) => ({ hour, count }));
  const across = scaleBand(
    hours.map(({ hour }) => hour),
    [plot.left, plot.right],
  ).padding(0.2);
  const { scale, upright } = uprightScale(Math.max(...arrivalsByHour));
  const busiest = hours.reduce((most, next) => (next.count > most.count ? next : most));
  return chartFigure({
    id: "arrivals",
    title: "Arrivals by hour",
    summary: `${arrivals} arrivals; most of them, ${busiest.count}, from ${hourName(busiest.hour)} on.`,
    unit: "People, by the hour in which they took their token",
    across: hours
      .filter(({ hour }) => hour % 3 === 0)
      .map(({ hour }) => ({
        at: (across(hour) ?? 0) + across.bandwidth() / 2,
        label: hourName(hour),
      })),
    upright,
    marks: hours
      .filter(({ count }) => count > 0)
      .map(
        ({ hour, count }) =>
          html`<rect fill="var(--chart-1)" x="${round(across(hour) ?? 0)}" y="${round(scale(count))}" width="${round(across.bandwidth())}" height="${round(plot.bottom - scale(count))}" rx="2"><title>${hourName(hour)}: ${count}</title></rect>
`,
      ),
    table: table(hours.map(({ hour, count }) => ({ Hour: hourName(hour), Arrivals: count }))),
  });
}

const series = [
  { key: "median", color: 1, label: "Half waited no longer" },
  { key: "ninetieth", color: 2, label: "90 % waited at most" },
] as const satisfies { key: string; color: Color; label: string }[];

/** The median and the 90th percentile of waits on each day, as lines. */
export function waitsChart(days: readonly DayStatistics[]): Html {
  const across = scalePoint(
    days.map(({ day }) => day),
    [plot.left, plot.right],
  ).padding(0.5);
  const highest = Math.max(0, ...days.map(({ statistics }) => statistics.waits.ninetieth ?? 0));
  const { scale, upright } = uprightScale(highest);
  const marks = series.map(({ key, color, label }) => {
    const path = line<DayStatistics>()
      .defined(({ statistics }) => statistics.waits[key] !== null)
      .x(({ day }) => round(across(day) ?? 0))
      .y(({ statistics }) => round(scale(statistics.waits[key] ?? 0)));
    const dots = days.map(({ day, statistics }) => {
      const wait = statistics.waits[key];
      if (wait === null) return html``;
      return html`<circle fill="var(--chart-${color})" cx="${round(across(day) ?? 0)}" cy="${round(scale(wait))}" r="3.5"><title>${dayInWords(day)}: ${label.toLowerCase()}: ${wait} minutes</title></circle>
`;
    });
    return html`<path class="line" stroke="var(--chart-${color})" d="${path(days)}"/>
${dots}`;
  });
  return chartFigure({
    id: "waits",
    title: "Waits",
    summary: `Waits of ${days.length} days; the longest that nine of ten stayed within is ${highest} minutes.`,
    unit: "Minutes from the token to the call",
    across: dayTicks(days, across),
    upright,
    legend: series,
    marks,
    table: table(
      days.map(({ day, statistics: { waits } }) => ({
        Day: dayInWords(day),
        Called: waits.people,
        Median: waits.median,
        "90th percentile": waits.ninetieth,
        Longest: waits.longest,
      })),
    ),
  });
}

const ends = [
  { key: "served", color: 1, label: "Completed" },
  { key: "noShows", color: 2, label: "No-shows" },
  { key: "canceled", color: 4, label: "Canceled" },
  { key: "open", color: 3, label: "Not ended" },
] as const satisfies { key: string; color: Color; label: string }[];

/** The outcomes of each day's entries, as stacked bars. */
export function endsChart(days: readonly DayStatistics[]): Html {
  const across = scaleBand(
    days.map(({ day }) => day),
    [plot.left, plot.right],
  ).padding(0.2);
  const { scale, upright } = uprightScale(
    Math.max(0, ...days.map(({ statistics: s }) => s.served + s.noShows + s.canceled + s.open)),
  );
  const width = Math.min(64, across.bandwidth());
  const marks = days.map(({ day, statistics }) => {
    const left = (across(day) ?? 0) + (across.bandwidth() - width) / 2;
    let below = 0;
    return html`${ends.map(({ key, color, label }) => {
      const people = statistics[key];
      if (people === 0) return html``;
      below += people;
      return html`<rect fill="var(--chart-${color})" x="${round(left)}" y="${round(scale(below))}" width="${round(width)}" height="${round(scale(0) - scale(people))}"><title>${dayInWords(day)}: ${people} ${label.toLowerCase()}</title></rect>
`;
    })}`;
  });
  const totals = ends.map(({ key, label }) => {
    const sum = days.reduce((sum, { statistics }) => sum + statistics[key], 0);
    return `${sum} ${label.toLowerCase()}`;
  });
  return chartFigure({
    id: "ends",
    title: "Outcomes",
    summary: `${totals.join(", ")}.`,
    unit: "People, by the day of their token",
    across: dayTicks(days, across),
    upright,
    legend: ends,
    marks,
    table: table(
      days.map(({ day, statistics }) => ({
        Day: dayInWords(day),
        Arrivals: statistics.arrivals,
        ...Object.fromEntries(ends.map(({ key, label }) => [label, statistics[key]])),
      })),
    ),
  });
}

/*
 * Charts are drawn on the server, with attributes and classes only, since the content security policy
 * forbids inline styles. Colors come from the page's style, for light and dark.
 */

/** The area of the marks in a chart, which is 720 wide and 260 high. The page scales it to the available width. */
const plot = { left: 44, right: 708, top: 12, bottom: 226 } as const;

/** A mark on an axis. */
interface Tick {
  readonly at: number;
  readonly label: string;
}

interface ChartFrame {
  readonly id: string;
  readonly title: string;
  /** What the chart shows, for screen readers. */
  readonly summary: string;
  /** The unit of the vertical axis. */
  readonly unit: string;
  readonly across: readonly Tick[];
  readonly upright: readonly Tick[];
  /** What each color means; absent if there is only one. */
  readonly legend?: readonly { readonly color: Color; readonly label: string }[];
  readonly marks: readonly Html[];
  /** The same numbers as a table. */
  readonly table: Html;
}

/** Colors of the page's style. */
type Color = 1 | 2 | 3 | 4;

/** A chart with its axes, its legend and its numbers. */
function chartFigure(chart: ChartFrame): Html {
  const { id, title, summary, unit, across, upright, legend = [], marks, table } = chart;
  const lines = upright.map(
    ({ at, label }) =>
      html`<line class="grid" x1="${plot.left}" x2="${plot.right}" y1="${round(at)}" y2="${round(at)}"/><text x="${plot.left - 8}" y="${round(at)}" dy="0.32em" text-anchor="end">${label}</text>
`,
  );
  const names = across.map(
    ({ at, label }) =>
      html`<text x="${round(at)}" y="${plot.bottom + 24}" text-anchor="middle">${label}</text>
`,
  );
  return html`<figure class="card chart" aria-labelledby="${id}-title">
<figcaption><h2 id="${id}-title">${title}</h2><p class="soft">${unit}</p></figcaption>
${
  legend.length > 0 &&
  html`<ul class="legend">${legend.map(({ color, label }) => html`<li><svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true"><rect fill="var(--chart-${color})" width="12" height="12" rx="3"/></svg> ${label}</li>`)}</ul>
`
}<div class="scrolls" tabindex="0" role="region" aria-labelledby="${id}-title">
<svg class="plot" viewBox="0 0 720 260" role="img" aria-label="${summary}">
${lines}${names}${marks}</svg>
</div>
<details><summary>The numbers</summary>
<div class="scrolls" tabindex="0" role="region" aria-label="${title}: the numbers">${table}</div>
</details>
</figure>
`;
}

/** Rounds to one decimal place: more digits make no visible difference. */
function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Names at most eight of the days, so that their labels do not overlap. */
function dayTicks(days: readonly DayStatistics[], across: ScaleBand<string> | ScalePoint<string>) {
  const step = Math.ceil(days.length / 8);
  return days
    .filter((_, place) => place % step === 0)
    .map(({ day }) => ({
      at: (across(day) ?? 0) + across.bandwidth() / 2,
      label: dayInShort(day),
    }));
}
