import { type AuditFilter, isAskedFor } from "../../rules/audit.js";
import type { AuditRow } from "../../rules/records.js";
import { readPlace, writePlace } from "../audit-place.js";
import { pruneStep } from "../retention.js";
import type { AuditPage, PageRequest } from "../store.js";

interface Placed {
  readonly at: number;
  /** Its place among all rows that were ever kept. */
  readonly mark: number;
}

interface KeptRow extends Placed {
  readonly row: AuditRow;
}

/** The audit log, in the order in which its rows were kept. */
export class AuditLog {
  #kept: KeptRow[] = [];
  #lastMark = 0;

  rows(): AuditRow[] {
    return this.#kept.map(({ row }) => row);
  }

  append(row: AuditRow): void {
    this.#lastMark += 1;
    this.#kept.push({ at: row.at, mark: this.#lastMark, row });
  }

  /** Puts rows into the log from a place on, instead of those that stand there. */
  load(rows: readonly AuditRow[], offset: number): void {
    this.#kept.splice(
      offset,
      rows.length,
      ...rows.map((row, index) => ({ at: row.at, mark: offset + index + 1, row })),
    );
    this.#lastMark = Math.max(this.#lastMark, offset + rows.length);
  }

  page(
    businessId: string,
    filter: AuditFilter,
    { limit, after }: PageRequest,
  ): AuditPage | "cursor_unknown" {
    const start = after === null ? null : readPlace(after);
    if (after !== null && start === null) return "cursor_unknown";
    const before = start && { at: start.at, mark: Number(start.mark) };
    const found = this.#kept
      .filter(({ row }) => row.businessId === businessId && isAskedFor(row, filter))
      .filter((kept) => before === null || newestFirst(before, kept) < 0)
      .sort(newestFirst);
    const page = found.slice(0, limit);
    const last = page.at(-1);
    const more = last !== undefined && found.length > limit;
    return { rows: page.map(({ row }) => row), next: more ? writePlace(last) : null };
  }

  /** Removes rows older than this, a bounded number of them, and tells how many. */
  prune(before: number): number {
    const old = new Set(this.#kept.filter(({ at }) => at < before).slice(0, pruneStep));
    this.#kept = this.#kept.filter((kept) => !old.has(kept));
    return old.size;
  }

  removeAll(businessId: string): void {
    this.#kept = this.#kept.filter(({ row }) => row.businessId !== businessId);
  }
}

function newestFirst(a: Placed, b: Placed): number {
  return b.at - a.at || b.mark - a.mark;
}
