const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"' };

function decoded(text: string): string {
  return text.replaceAll(/&(\w+);/g, (whole, name: string) => entities[name] ?? whole);
}

/** The visible text of HTML, with single spaces. */
export function textOf(html: string): string {
  const text = html
    .replaceAll(/<(script|style|head)\b.*?<\/\1>/gs, "")
    .replaceAll(/<\/?bdi[^>]*>/g, "")
    .replaceAll(/<[^>]*>/g, " ");
  return decoded(text).replaceAll(/\s+/g, " ").trim();
}

/** The rows of the tables in a page, cell by cell, without their headings. */
export function rowsOf(html: string): string[][] {
  const bodies = [...html.matchAll(/<tbody>(.*?)<\/tbody>/gs)].map(([, body = ""]) => body);
  const rows = bodies.flatMap((body) => [...body.matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)]);
  return rows.map(([, row = ""]) =>
    [...row.matchAll(/<t[hd]\b[^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = ""]) => textOf(cell)),
  );
}

/** The URL of the link with this text. */
export function linkTo(html: string, words: string): string {
  for (const [, href = "", inside = ""] of html.matchAll(
    /<a\b[^>]*href="([^"]*)"[^>]*>(.*?)<\/a>/gs,
  )) {
    if (textOf(inside) === words) return decoded(href);
  }
  throw new Error(`no link reads ${JSON.stringify(words)}`);
}

/** The error message at a field, or null. */
export function errorAt(html: string, field: string): string | null {
  const message = new RegExp(`id="${field}-error">(.*?)</p>`, "s").exec(html)?.[1];
  return message === undefined ? null : textOf(message);
}

/** What the first field or button with this name sends; empty if there is none. */
export function fieldIn(html: string, name: string): string {
  const input = `<(?:input|button)\\b[^>]* name="${name}"[^>]* value="([^"]*)"`;
  const area = `<textarea\\b[^>]* name="${name}"[^>]*>\n([^<]*)`;
  const select = `<select\\b[^>]* name="${name}"(?:(?!</select>).)*<option value="(\\w*)" selected>`;
  const found = new RegExp(`${input}|${area}|${select}`, "s").exec(html) ?? [];
  return decoded(found.slice(1).find((value) => value !== undefined) ?? "");
}
