/** Where a row stands in the audit log: by its time, and among those of one time by a mark of its own. */
export interface AuditPlace<Mark> {
  readonly at: number;
  readonly mark: Mark;
}

/** A place as a cursor that nobody else has to understand. */
export function writePlace({ at, mark }: AuditPlace<number | string>): string {
  return `${at}.${mark}`;
}

/** The place that a cursor names, or null when it was not made by {@link writePlace}. */
export function readPlace(cursor: string): AuditPlace<string> | null {
  const [, at, mark] = /^(\d{1,15})\.([0-9a-f]{1,24})$/.exec(cursor) ?? [];
  return at === undefined || mark === undefined ? null : { at: Number(at), mark };
}
