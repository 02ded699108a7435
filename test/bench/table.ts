/** The mark of a goal that is met or missed. */
export function verdict(met: boolean): string {
  return met ? "✓ met" : "✗ MISSED";
}

/** Formats rows under their headings. Columns are as wide as their widest cell, and numbers are right-aligned. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows];
  const columns = headings.map((_, at) => ({
    width: Math.max(...lines.map((cells) => (cells[at] ?? "").length)),
    numbers: rows.every((cells) => /^[\d≥≤][\d ,.–]*( MB| ms| µs|\/s)?$/.test(cells[at] ?? "")),
  }));
  return lines
    .map((cells) =>
      columns
        .map(({ width, numbers }, at) => {
          const cell = cells[at] ?? "";
          return numbers ? cell.padStart(width) : cell.padEnd(width);
        })
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
