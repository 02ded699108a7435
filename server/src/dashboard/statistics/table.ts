import { type Html, html } from "../../lib/html.js";

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
