import type { AuditRow, AuditSum } from "./records.js";

/** HTTP statuses from the first to the last, both included. */
export interface StatusRange {
  readonly first: number;
  readonly last: number;
}

/** Which rows of the audit log to read. A field that is null does not filter. */
export interface AuditFilter {
  readonly keyId: string | null;
  readonly status: StatusRange | null;
  /** What the path begins with; upper and lower case differ. */
  readonly pathPrefix: string | null;
  /** From this instant on. */
  readonly from: number | null;
  /** Before this instant. */
  readonly until: number | null;
}

/** Matches the whole log. */
export const wholeLog: AuditFilter = {
  keyId: null,
  status: null,
  pathPrefix: null,
  from: null,
  until: null,
};

/** The statuses that `404` or a class like `4xx` names, or null when it names none. */
export function statusRange(named: string): StatusRange | null {
  if (/^[1-5]\d\d$/.test(named)) return { first: Number(named), last: Number(named) };
  if (!/^[1-5]xx$/i.test(named)) return null;
  const first = Number(named[0]) * 100;
  return { first, last: first + 99 };
}

/** Whether a row matches the filter. */
export function isAskedFor(row: AuditRow, filter: AuditFilter): boolean {
  const { keyId, status, pathPrefix, from, until } = filter;
  return (
    (keyId === null || row.keyId === keyId) &&
    (status === null || (row.status >= status.first && row.status <= status.last)) &&
    (pathPrefix === null || row.path.startsWith(pathPrefix)) &&
    (from === null || row.at >= from) &&
    (until === null || row.at < until)
  );
}

const minuteMs = 60_000;

/** Sums are of one key, one status and one minute: of two rows with the same name one remains. */
export function sumName({ keyId, status, at }: AuditRow): string {
  return `${keyId}:${status}:${minuteOf(at)}`;
}

function minuteOf(at: number): number {
  return Math.floor(at / minuteMs);
}

/** The sum of one request, for others to be added. */
export function asSum(row: AuditRow): AuditRow {
  return { ...row, sum: { count: 1, lastAt: row.at } };
}

/** A sum with another one of its name added to it. */
export function withSum(kept: AuditRow, more: AuditRow): AuditRow {
  const [{ count, lastAt }, added] = [sumOf(kept), sumOf(more)];
  const last = added.lastAt >= lastAt ? more : kept;
  const { method, path, ip, requestId } = last;
  const sum = { count: count + added.count, lastAt: Math.max(lastAt, added.lastAt) };
  return { ...kept, method, path, ip, requestId, sum };
}

/** How many requests a row records, and until when. */
export function sumOf({ at, sum }: AuditRow): AuditSum {
  return sum ?? { count: 1, lastAt: at };
}

/** How many minutes are counted beside each other: requests of one that ends come after the next has begun. */
const minutesCounted = 2;

/**
 * Counts the requests that were refused at admission, where no window charges them. A key may have as many
 * rows of them a minute and status as it may make requests: a client that keeps to its limit causes no
 * more. What goes beyond is summed, so that no caller fills the disk.
 */
export class RefusalCount {
  readonly #minutes = new Map<number, Map<string, number>>();

  /** Counts a refused request. True if it gets a row of its own. */
  isRecordedAlone(row: AuditRow, requestsPerMinute: number): boolean {
    const counts = this.#countsOf(minuteOf(row.at));
    const name = sumName(row);
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count <= requestsPerMinute;
  }

  #countsOf(minute: number): Map<string, number> {
    const known = this.#minutes.get(minute);
    if (known) return known;
    const counts = new Map<string, number>();
    this.#minutes.set(minute, counts);
    const [oldest] = this.#minutes.keys();
    if (this.#minutes.size > minutesCounted && oldest !== undefined) this.#minutes.delete(oldest);
    return counts;
  }
}
