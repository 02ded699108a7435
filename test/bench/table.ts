import { mkdtemp, open, rm } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";

/** The median of values, and their range. */
interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** The median. For an even number of values, the mean of the two in the middle. Throws a RangeError for no values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  if (upper === undefined || lower === undefined) throw new RangeError("no values to compare");
  return (lower + upper) / 2;
}

/** The median and the range of repeated measurements. */
export function spread(values: readonly number[]): Spread {
  return { median: median(values), least: Math.min(...values), most: Math.max(...values) };
}

/** The mark of a goal that is met or missed. */
export function verdict(met: boolean): string {
  return met ? "✓ met" : "✗ MISSED";
}

/** Formats rows under their headings. Columns are as wide as their widest cell, and numbers are right-aligned. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows];
  const columns = headings.map((_, at) => ({
    width: Math.max(...lines.map((cells) => (cells[at] ?? "").length)),
    numbers: rows.every((cells) => /^([\d≥≤][\d ,.–]*( MB| ms| µs|\/s)?)?$/.test(cells[at] ?? "")),
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

/** One line on what the numbers were measured with. */
export async function machine(): Promise<string> {
  const [first, ...others] = cpus();
  const processor = `${others.length + 1} × ${first?.model.trim() ?? "unknown processor"}`;
  const disk = `${(await durableWriteMs()).toFixed(2)} ms for a durable write`;
  return `Node ${process.versions.node}, ${processor}, ${disk}`;
}

/** How long the disk takes to keep a page: creations wait for it. */
async function durableWriteMs(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "queue-api-bench-"));
  const file = await open(join(folder, "probe"), "w");
  try {
    const page = Buffer.alloc(4096);
    const times: number[] = [];
    for (let write = 0; write < 50; write++) {
      const began = performance.now();
      await file.write(page);
      await file.datasync();
      times.push(performance.now() - began);
    }
    return median(times);
  } finally {
    await file.close();
    await rm(folder, { recursive: true });
  }
}
