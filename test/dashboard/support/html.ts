const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"' };

/** The visible text of HTML, with single spaces. */
export function textOf(html: string): string {
  return html
    .replaceAll(/<(script|style|head)\b.*?<\/\1>/gs, "")
    .replaceAll(/<\/?bdi[^>]*>/g, "")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/&(\w+);/g, (whole, name: string) => entities[name] ?? whole)
    .replaceAll(/\s+/g, " ")
    .trim();
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
    if (textOf(inside) === words) return href.replaceAll("&amp;", "&");
  }
  throw new Error(`no link reads ${JSON.stringify(words)}`);
}

/** The error message at a field, or null. */
export function errorAt(html: string, field: string): string | null {
  const message = new RegExp(`id="${field}-error">(.*?)</p>`, "s").exec(html)?.[1];
  return message === undefined ? null : textOf(message);
}

/** The value of a field. */
export function typedIn(html: string, field: string): string | undefined {
  const input = new RegExp(`<input id="${field}"[^>]* value="([^"]*)"`).exec(html)?.[1];
  const area = new RegExp(`<textarea id="${field}"[^>]*>\n([^<]*)`).exec(html)?.[1];
  return input ?? area;
}
