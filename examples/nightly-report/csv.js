/** Rows as CSV by RFC 4180. Nothing is empty text. */
export function csv(rows) {
  return rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

function cell(value) {
  const text = harmless(String(value ?? ""));
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A spreadsheet takes a text that begins like this for a formula; a quote in front keeps it a text. */
function harmless(text) {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}
