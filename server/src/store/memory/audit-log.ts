import { type AuditFilter, isAskedFor, sumName, withSum } from "../../rules/audit.js";
import type { AuditRow } from "../../rules/records.js";
import { readPlace, writePlace } from "../audit-place.js";
import type { AuditPage } from "../port/audit.js";
import type { PageRequest } from "../port/page.js";
import { pruneStep } from "../retention.js";

interface Placed {
  readonly at: number;
  /** Its sequence number among all rows ever stored. */
  readonly mark: number;
}

interface KeptRow extends Placed {
  /** Mutable, because requests are added to a sum. */
  row: AuditRow;
}

/** The number of rows that one step examines. */
const reach = 10_000;

export class AuditLog {
  /** In the order in which they were stored. */
  #kept: KeptRow[] = [];
  /** The same rows, oldest first. */
  #byAge: KeptRow[] = [];
  /** Sums that may still change, by name. */
  #sums = new Map<string, KeptRow>();
  #lastMark = 0;

  rows(): AuditRow[] {
    return this.#kept.map(({ row }) => row);
  }

  append(row: AuditRow): void {
    const known = row.sum && this.#sums.get(sumName(row));
    if (known) {
      known.row = withSum(known.row, row);
      return;
    }
    this.#lastMark += 1;
    const kept = { at: row.at, mark: this.#lastMark, row };
    if (row.sum) this.#sums.set(sumName(row), kept);
    this.#kept.push(kept);
    this.#byAge.splice(this.#countOlder(kept), 0, kept);
  }

  /** Writes rows at an offset, replacing the rows that are there. */
  load(rows: readonly AuditRow[], offset: number): void {
    this.#kept.splice(
      offset,
      rows.length,
      ...rows.map((row, index) => ({ at: row.at, mark: offset + index + 1, row })),
    );
    this.#lastMark = Math.max(this.#lastMark, offset + rows.length);
    this.#byAge = this.#kept.toSorted(oldestFirst);
  }

  page(
    businessId: string,
    filter: AuditFilter,
    { limit, after }: PageRequest,
  ): AuditPage | "cursor_unknown" {
    const start = after === null ? null : readPlace(after);
    if (after !== null && start === null) return "cursor_unknown";
    const before = start && { at: start.at, mark: Number(start.mark) };
    const end = before === null ? this.#byAge.length : this.#countOlder(before);
    const part = this.#byAge.slice(Math.max(0, end - reach), end).reverse();
    const found = part.filter(
      ({ row }) => row.businessId === businessId && isAskedFor(row, filter),
    );
    const page = found.slice(0, limit);
    const isReached = part.length < end;
    const stop = found.length > limit ? page.at(-1) : isReached && part.at(-1);
    return { rows: page.map(({ row }) => row), next: stop ? writePlace(stop) : null };
  }

  /** The number of rows that are older than a place. */
  #countOlder(place: Placed): number {
    let [older, rest] = [0, this.#byAge.length];
    while (older < rest) {
      const middle = (older + rest) >> 1;
      const row = this.#byAge[middle];
      if (row && oldestFirst(row, place) < 0) older = middle + 1;
      else rest = middle;
    }
    return older;
  }

  /** Removes rows older than `before`, at most a fixed number of them, and returns how many. */
  prune(before: number): number {
    const old = new Set(this.#kept.filter(({ at }) => at < before).slice(0, pruneStep));
    this.#keepOnly((kept) => !old.has(kept));
    return old.size;
  }

  removeAll(businessId: string): void {
    this.#keepOnly(({ row }) => row.businessId !== businessId);
  }

  #keepOnly(isKept: (kept: KeptRow) => boolean): void {
    this.#kept = this.#kept.filter(isKept);
    this.#byAge = this.#byAge.filter(isKept);
    this.#sums = new Map([...this.#sums].filter(([, kept]) => isKept(kept)));
  }
}

function oldestFirst(a: Placed, b: Placed): number {
  return a.at - b.at || a.mark - b.mark;
}
