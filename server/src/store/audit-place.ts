/** The place of a row in the audit log: its time, and a mark that orders rows with the same time. */
export interface AuditPlace<Mark> {
  readonly at: number;
  readonly mark: Mark;
}

/** A place as an opaque cursor. */
export function writePlace({ at, mark }: AuditPlace<number | string>): string {
  return `${at}.${mark}`;
}

/** The place that a cursor contains, or null if {@link writePlace} did not create it. */
export function readPlace(cursor: string): AuditPlace<string> | null {
  const [, at, mark] = /^(\d{1,15})\.([0-9a-f]{1,24})$/.exec(cursor) ?? [];
  return at === undefined || mark === undefined ? null : { at: Number(at), mark };
}
