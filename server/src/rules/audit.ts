import { limits } from "@queue-api/contract/limits";
import type { AuditRow, AuditSum } from "./records.js";

/** How long a row is kept, in milliseconds. */
export const auditRetentionMs = limits.auditRetentionDays * 86_400_000;

/** The longest path in a row. That of the document has 56 characters. */
export const maxAuditPathLength = 200;

/** HTTP statuses from the first to the last, inclusive. */
export interface StatusRange {
  readonly first: number;
  readonly last: number;
}

/** The rows of the audit log to read. A field that is null does not filter. */
export interface AuditFilter {
  readonly keyId: string | null;
  readonly status: StatusRange | null;
  /** The start of the path, case-sensitive. */
  readonly pathPrefix: string | null;
  /** The first instant, inclusive. */
  readonly from: number | null;
  /** The end, exclusive. */
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

/** The statuses that `404` or a class like `4xx` names; null for any other text. */
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

/** The position of a row in the log: its time, and its id, which orders rows with the same time. */
export interface AuditPosition {
  readonly at: number;
  readonly id: string;
}

/** A position as an opaque cursor. */
export function writeAuditCursor({ at, id }: AuditPosition): string {
  return `${at}.${id}`;
}

/** The position that a cursor contains, or null if {@link writeAuditCursor} did not create it. */
export function readAuditCursor(cursor: string): AuditPosition | null {
  const [, at, id] = /^(\d{1,15})\.([0-9A-Za-z]{24})$/.exec(cursor) ?? [];
  return at === undefined || id === undefined ? null : { at: Number(at), id };
}

const minuteMs = 60_000;

/**
 * The name of the sum that a row is added to: one per key, status and minute. Rows with the same name become
 * one.
 */
export function sumName({ keyId, status, at }: AuditRow): string {
  return `${keyId}:${status}:${minuteOf(at)}`;
}

function minuteOf(at: number): number {
  return Math.floor(at / minuteMs);
}

/** A sum that contains one request. */
export function asSum(row: AuditRow): AuditRow {
  return { ...row, sum: { count: 1, lastAt: row.at } };
}

/** A sum with another sum of the same name added. */
export function withSum(kept: AuditRow, more: AuditRow): AuditRow {
  const [{ count, lastAt }, added] = [sumOf(kept), sumOf(more)];
  const last = added.lastAt >= lastAt ? more : kept;
  const { method, path, ip, requestId } = last;
  const sum = { count: count + added.count, lastAt: Math.max(lastAt, added.lastAt) };
  return { ...kept, method, path, ip, requestId, sum };
}

/** The number of requests that a row records, and the time of the last one. */
export function sumOf({ at, sum }: AuditRow): AuditSum {
  return sum ?? { count: 1, lastAt: at };
}

/**
 * How many minutes are counted at the same time: some requests of a minute end after the next one has begun.
 */
const minutesCounted = 2;

/**
 * Counts the requests that were refused at admission, which no window charges. Per minute and status, a key
 * may have as many individual rows as it may send requests, so a client within its limit never exceeds this
 * number. Further requests are added up in a sum, so that no caller fills the disk.
 */
export class RefusedRequests {
  readonly #minutes = new Map<number, Map<string, number>>();

  /** Counts a refused request. True if it gets its own row. */
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
