/** Rows as CSV by RFC 4180. Nothing is empty text. */
export function csv(rows) {
  return rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

function cell(value) {
  const text = harmless(String(value ?? ""));
  return /[",;|\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * A spreadsheet takes a text that begins like this for a formula; an apostrophe in front keeps it a text. Some trim
 * what precedes the sign, take its full-width form, or split the line at semicolons or tabs and ignore the quotes.
 */
const formula =
  /(^(?=[\t\r\n])|(?:^|[;,|\t\r\n])(?=(?:(?![\t\r\n])["\s\p{Cc}\p{Cf}])*[=+\-@＝＋－＠]))/gu;

function harmless(text) {
  return text.replace(formula, "$1'");
}
