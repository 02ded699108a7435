/** The median of values, and their range. */
export interface Spread {
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
