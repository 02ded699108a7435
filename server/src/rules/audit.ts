import type { AuditRow } from "./records.js";

/** HTTP statuses from the first to the last, both included. */
export interface StatusRange {
  readonly first: number;
  readonly last: number;
}

/** Which rows of the audit log somebody asks for. What is null is not asked for. */
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

/** Asks for the whole log. */
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

/** Whether a row is one of those that are asked for. */
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
