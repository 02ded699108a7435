import { type Html, html } from "../lib/html.js";

/** A row of a table. */
interface StackRow {
  /** By which the page finds the row again when it changes. Default: none. */
  readonly id?: string;
  /** By the headings, which are those of the first row. The first cell names the row. */
  readonly cells: Readonly<Record<string, Html | string | number>>;
  /** What can be done with it. Default: the table has no place for it. */
  readonly acts?: Html;
}

/** A table whose rows become cards on a phone. */
interface StackTable {
  /** What the rows are, for screen readers. */
  readonly caption: string;
  /** Whether everybody sees the caption. Default no. */
  readonly isCaptionShown?: boolean;
  readonly rows: readonly StackRow[];
}

/** A table of text and links. Each cell names its column, for the cards on a phone. */
export function stackTable({ caption, isCaptionShown = false, rows }: StackTable): Html {
  const [first] = rows;
  const headings = Object.keys(first?.cells ?? {});
  const row = ({ id, cells, acts }: StackRow) => {
    const [name, ...others] = Object.entries(cells);
    return html`<tr${id && html` id="${id}"`}>
<th scope="row">${name?.[1]}</th>
${others.map(
  ([heading, cell]) => html`<td data-label="${heading}">${cell}</td>
`,
)}${
  acts &&
  html`<td class="acts">${acts}</td>
`
}</tr>
`;
  };
  return html`<table class="stacks">
<caption${!isCaptionShown && html` class="visually-hidden"`}>${caption}</caption>
<thead><tr>${headings.map((heading) => html`<th scope="col">${heading}</th>`)}${first?.acts && html`<th scope="col"><span class="visually-hidden">What can be done</span></th>`}</tr></thead>
<tbody>
${rows.map(row)}</tbody>
</table>
`;
}

/** Rows of numbers by their headings; the first column names the row. */
export function table(rows: readonly Readonly<Record<string, string | number | null>>[]): Html {
  const [first, ...others] = Object.keys(rows[0] ?? {});
  return html`<table>
<thead><tr><th scope="col">${first}</th>${others.map((heading) => html`<th scope="col" class="number">${heading}</th>`)}</tr></thead>
<tbody>
${rows.map((row) => {
  const [name, ...values] = Object.values(row);
  return html`<tr><th scope="row">${name}</th>${values.map((value) => html`<td class="number">${value ?? "–"}</td>`)}</tr>
`;
})}</tbody>
</table>
`;
}
