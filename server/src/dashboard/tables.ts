import { type Html, html } from "../lib/html.js";

/** A table whose rows become cards on a phone. */
interface StackTable {
  /** What the rows are, for screen readers. */
  readonly caption: string;
  /** Whether everybody sees the caption. Default no. */
  readonly isCaptionShown?: boolean;
  /** The headings. The first column names the row. */
  readonly columns: readonly string[];
  /** The cells of each row, and what can be done with it. */
  readonly rows: readonly (readonly (Html | string | number)[])[];
  /** The id of each row, by which the page finds it again when it changes. Default: none. */
  readonly ids?: readonly string[];
  /** Whether the last column is what can be done with the row. Default no. */
  readonly hasActs?: boolean;
}

/** A table of text and links. Each cell names its column, for the cards on a phone. */
export function stackTable(content: StackTable): Html {
  const { caption, isCaptionShown = false, columns, rows, ids = [], hasActs = false } = content;
  const acts = hasActs
    ? html`<th scope="col"><span class="visually-hidden">What can be done</span></th>`
    : null;
  const row = ([name, ...cells]: StackTable["rows"][number], place: number) => {
    const id = ids[place];
    return html`<tr${id && html` id="${id}"`}>
<th scope="row">${name}</th>
${cells.map((cell, place) =>
  hasActs && place === cells.length - 1
    ? html`<td class="acts">${cell}</td>
`
    : html`<td data-label="${columns[place + 1]}">${cell}</td>
`,
)}</tr>
`;
  };
  return html`<table class="stacks">
<caption${!isCaptionShown && html` class="visually-hidden"`}>${caption}</caption>
<thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}${acts}</tr></thead>
<tbody>
${rows.map(row)}</tbody>
</table>
`;
}

/** Numbers under their headings; the first column names the row. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
): Html {
  const [first, ...others] = headings;
  return html`<table>
<thead><tr><th scope="col">${first}</th>${others.map((heading) => html`<th scope="col" class="number">${heading}</th>`)}</tr></thead>
<tbody>
${rows.map(
  ([name, ...values]) =>
    html`<tr><th scope="row">${name}</th>${values.map((value) => html`<td class="number">${value ?? "–"}</td>`)}</tr>
`,
)}</tbody>
</table>
`;
}
