import { timestamp } from "../rules/timestamp.js";

/** The output of a command: JSON for programs, text for people. */
export interface Output {
  /** Printed with `--json`. */
  readonly json: unknown;
  /** Printed without `--json`. */
  readonly text: string;
}

/** One cell of a table; null is shown as a dash. */
export type Cell = string | number | null;

/** Rows under their headings, each column as wide as its widest cell. */
export function table(headings: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const lines = [headings, ...rows].map((row) => row.map(shown));
  const widths = headings.map((_, column) =>
    lines.reduce((widest, line) => Math.max(widest, length(line[column] ?? "")), 0),
  );
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - length(cell)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** How records of a kind are printed at a time. */
interface Kind<Item> {
  /** The fields of the JSON of one record, as the help lists them. */
  readonly shape: string;
  readonly json: (item: Item, now: number) => unknown;
  /** The cell of each column of the table, by its heading. */
  readonly columns: Readonly<Record<string, (item: Item, now: number) => Cell>>;
  /** Printed in place of an empty table. */
  readonly none?: string;
}

/** Prints one record, or a list of them. */
export type Printer<Item> = ReturnType<typeof printer<Item>>;

export function printer<Item>({ shape, json, columns, none = "" }: Kind<Item>) {
  const text = (items: readonly Item[], now: number) => {
    const rows = items.map((item) => Object.values(columns).map((cell) => cell(item, now)));
    return rows.length === 0 ? none : table(Object.keys(columns), rows);
  };
  const one = (item: Item, now: number): Output => ({
    json: json(item, now),
    text: text([item], now),
  });
  const list = (items: readonly Item[], now: number): Output => ({
    json: items.map((item) => json(item, now)),
    text: text(items, now),
  });
  return { shape, one, list };
}

function shown(cell: Cell): string {
  return cell === null ? "-" : printable(String(cell));
}

/**
 * Replaces control characters, which a terminal interprets as commands, and marks of direction, which reverse the text
 * around them.
 */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu, "\u{fffd}");
}

function length(text: string): number {
  return [...text].length;
}

/** A time for people: in UTC, to the minute. */
export function asMinute(at: number | null): string | null {
  return at === null ? null : `${timestamp(at).slice(0, 16).replace("T", " ")}Z`;
}

/** Prints the output of a command. */
export function print(output: Output, asJson = false): void {
  process.stdout.write(`${asJson ? JSON.stringify(output.json, null, 2) : output.text}\n`);
}

/** Shows progress in one line on standard error, if that is a terminal. */
export function progressLine() {
  const { stderr } = process;
  const update = (progress: string) => {
    if (stderr.isTTY) stderr.write(`\r\u001b[K${progress}`);
  };
  return { update, clear: () => update("") };
}
