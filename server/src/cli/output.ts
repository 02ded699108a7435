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

/** A table, or a sentence if there are no rows. */
export function tableOr(
  nothing: string,
  headings: readonly string[],
  rows: readonly (readonly Cell[])[],
): string {
  return rows.length === 0 ? nothing : table(headings, rows);
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

/** A time in the format of the API, or null. */
export function timestamp(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/** A time for people: in UTC, to the minute. */
export function minuteOf(at: number | null): string | null {
  return (
    timestamp(at)
      ?.replace("T", " ")
      .replace(/:\d\d\.\d+Z$/, "Z") ?? null
  );
}

/** Prints the output of a command. */
export function print(output: Output, asJson: boolean): void {
  process.stdout.write(`${asJson ? JSON.stringify(output.json, null, 2) : output.text}\n`);
}
