import { type Html, html } from "../../lib/html.js";

/*
 * Charts are drawn on the server, with attributes and classes only, since the content security policy
 * forbids inline styles. Colours come from the page's style, for light and dark.
 */

/** The drawing area of a chart. The page scales it to the available width. */
const size = { width: 720, height: 260 } as const;
const margin = { top: 12, right: 12, bottom: 34, left: 44 } as const;

/** The area of the marks in a chart. */
export const plot = {
  left: margin.left,
  right: size.width - margin.right,
  top: margin.top,
  bottom: size.height - margin.bottom,
} as const;

/** A mark on an axis. */
interface Tick {
  readonly at: number;
  readonly label: string;
}

export interface ChartFrame {
  readonly id: string;
  readonly title: string;
  /** What the chart shows, for screen readers. */
  readonly summary: string;
  /** The unit of the vertical axis. */
  readonly unit: string;
  readonly across: readonly Tick[];
  readonly upright: readonly Tick[];
  /** What each colour means; absent if there is only one. */
  readonly legend?: readonly { readonly colour: Colour; readonly label: string }[];
  readonly marks: readonly Html[];
  /** The same numbers as a table. */
  readonly table: Html;
}

/** Colours of the page's style. */
export type Colour = 1 | 2 | 3 | 4;

/** A chart with its axes, its legend and its numbers. */
export function chartFigure(chart: ChartFrame): Html {
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
  html`<ul class="legend">${legend.map(({ colour, label }) => html`<li><svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true"><rect class="fill-${colour}" width="12" height="12" rx="3"/></svg> ${label}</li>`)}</ul>
`
}<div class="scrolls" tabindex="0" role="region" aria-labelledby="${id}-title">
<svg class="plot" viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label="${summary}">
${lines}${names}${marks}</svg>
</div>
<details><summary>The numbers</summary>
<div class="scrolls" tabindex="0" role="region" aria-label="${title}: the numbers">${table}</div>
</details>
</figure>
`;
}

/** Rounds to one decimal place: more digits make no visible difference. */
export function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Selects at most `most` items, so that their labels do not overlap. */
export function thinned<Item>(items: readonly Item[], most: number): Item[] {
  const step = Math.ceil(items.length / most);
  return items.filter((_, place) => place % step === 0);
}
