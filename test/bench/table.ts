/** How a goal that is met, or not, is marked. */
export function verdict(met: boolean): string {
  return met ? "✓ met" : "✗ MISSED";
}

/** Rows under their headings, columns as wide as their widest cell; numbers end at the same place. */
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
