import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Response } from "express";

/** What a cell holds; null for an empty one. */
type Cell = string | number | null;

/** The columns of a file, by their headings: what each shows of a row. */
export type CsvColumns<Row> = Readonly<Record<string, (row: Row) => Cell>>;

/** Marks the text as UTF-8 for spreadsheet programs. */
const byteOrderMark = "\uFEFF";

/**
 * Text that a spreadsheet program might run as a formula. Some programs also accept the full-width form of
 * the leading sign, and trim characters in front of it. The sign also counts after any character that some
 * program takes for the end of a cell: a program that splits at semicolons ignores the quotes around cells
 * that are separated by commas.
 */
const formula =
  /(^(?=[\t\r\n])|(?:^|[;,|\t\r\n])(?=(?:(?![\t\r\n])["\s\p{Cc}\p{Cf}])*[=+\-@＝＋－＠]))/gu;

/** A line in RFC 4180 format. Each text is quoted; an apostrophe precedes text that begins like a formula. */
function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(written).join(",")}\r\n`;
}

function written(cell: Cell): string {
  if (typeof cell === "number") return String(cell);
  return `"${(cell ?? "").replace(formula, "$1'").replaceAll('"', '""')}"`;
}

/** Streams a file line by line, no faster than the client reads it. */
export async function sendCsv<Row>(
  res: Response,
  name: string,
  columns: CsvColumns<Row>,
  rows: AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>,
): Promise<void> {
  res.attachment(name); // the caller ensures that its characters are safe
  res.type("text/csv; charset=utf-8; header=present");
  const cells = Object.values(columns);
  const lineOf = (row: Row) => csvLine(cells.map((cell) => cell(row)));
  async function* lines() {
    yield byteOrderMark + csvLine(Object.keys(columns));
    for await (const some of rows) yield some.map(lineOf).join("");
  }
  try {
    await pipeline(Readable.from(lines(), { objectMode: true, highWaterMark: 1 }), res);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
    res.end(); // the client is disconnected; this only completes the request
  }
}
