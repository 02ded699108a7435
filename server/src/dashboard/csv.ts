import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Response } from "express";

/** What can stand in a cell. */
export type CsvCell = string | number;

/** Tells a spreadsheet program that the text is UTF-8. */
const byteOrderMark = "\uFEFF";

/**
 * What a spreadsheet program would run as a formula: by a sign that some fold from its full width, and
 * perhaps behind what they trim away. It may stand behind anything that some of them take for the end of a
 * cell, since a program that divides cells by semicolons does not heed the quotes of cells between commas.
 */
const formula =
  /(^(?=[\t\r\n])|(?:^|[;,|\t\r\n])(?=(?:(?![\t\r\n])["\s\p{Cc}\p{Cf}])*[=+\-@＝＋－＠]))/gu;

/** A line as RFC 4180 writes it. Each text is quoted, and what begins like a formula gets an apostrophe in front. */
function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(written).join(",")}\r\n`;
}

function written(cell: CsvCell): string {
  if (typeof cell === "number") return String(cell);
  return `"${cell.replace(formula, "$1'").replaceAll('"', '""')}"`;
}

/** Sends a file of lines as they come, no faster than they are taken. */
export async function sendCsv(
  res: Response,
  name: string,
  headings: readonly string[],
  rows: AsyncIterable<readonly (readonly CsvCell[])[]>,
): Promise<void> {
  res.attachment(name); // its characters are the caller's to choose
  res.type("text/csv; charset=utf-8; header=present");
  async function* lines() {
    yield byteOrderMark + csvLine(headings);
    for await (const some of rows) yield some.map(csvLine).join("");
  }
  try {
    await pipeline(Readable.from(lines(), { objectMode: true, highWaterMark: 1 }), res);
  } catch (error) {
    if (!isPrematureClose(error)) throw error;
    res.end(); // nobody hears it, but the request is through
  }
}

/** Whether whoever was sent to has gone. */
function isPrematureClose(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ERR_STREAM_PREMATURE_CLOSE";
}
