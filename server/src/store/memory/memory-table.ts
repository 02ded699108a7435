import type { Key, Listing, Value } from "../port.js";
import {
  type Index,
  indexes,
  primaryKeys,
  type Stored,
  type TableName,
  type Tables,
} from "../tables.js";

/** The records of a table in maps: one by primary key, and one for each index and the first fields of it. */
export class MemoryTable<T extends TableName> {
  readonly #primaryKey: string;
  readonly #indexes: readonly Index[];
  readonly #records = new Map<Value, Stored<T>>();
  /** The primary keys of the records that have these values in these fields. */
  readonly #buckets = new Map<string, Set<Value>>();

  constructor(table: T) {
    this.#primaryKey = primaryKeys[table];
    this.#indexes = Object.values<Index>(indexes[table]);
  }

  find(key: Key): Stored<T> | null {
    return this.#matching(key)[0] ?? null;
  }

  /** Every record, in no order. */
  all(): Iterable<Stored<T>> {
    return this.#records.values();
  }

  list({ where, order = [], descending = false, after, from, to, limit }: Listing): Stored<T>[] {
    const [first] = order;
    const isAsked = (record: Stored<T>) => {
      const value = first === undefined ? undefined : valuesAt(record, first)[0];
      const isIn =
        (from == null || compare(value, from) >= 0) && (to == null || compare(value, to) <= 0);
      return isIn && (!after || this.#isAfter(record, order, after, descending));
    };
    return combinations(where)
      .flatMap((key) => this.#matching(key))
      .filter(isAsked)
      .sort((a, b) => compareBy(order, a, b) * (descending ? -1 : 1))
      .slice(0, limit);
  }

  /** The record with the primary key of this one. */
  current(record: Tables[T]): Stored<T> | undefined {
    return this.#records.get(this.#primary(record));
  }

  /** Whether another record has the same values in a unique index. */
  isTaken(record: Tables[T]): boolean {
    return this.#indexes
      .filter(({ unique }) => unique)
      .flatMap(({ fields }) => bucketNamesOf(fields, record).at(-1) ?? [])
      .some((name) => {
        const holders = this.#buckets.get(name) ?? [];
        return [...holders].some((primary) => primary !== this.#primary(record));
      });
  }

  set(record: Stored<T>): void {
    this.delete(record);
    const primary = this.#primary(record);
    this.#records.set(primary, record);
    for (const name of this.#bucketNames(record)) {
      const holders = this.#buckets.get(name);
      if (holders) holders.add(primary);
      else this.#buckets.set(name, new Set([primary]));
    }
  }

  /** Removes the record with the primary key of this one. */
  delete(record: Tables[T]): void {
    const known = this.current(record);
    if (!known) return;
    const primary = this.#primary(record);
    this.#records.delete(primary);
    for (const name of this.#bucketNames(known)) {
      const holders = this.#buckets.get(name);
      holders?.delete(primary);
      if (holders?.size === 0) this.#buckets.delete(name);
    }
  }

  #primary(record: Tables[T]): Value {
    return valuesAt(record, this.#primaryKey)[0] as Value;
  }

  #matching(key: Key): Stored<T>[] {
    const fields = Object.keys(key);
    if (fields.length === 0) return [...this.#records.values()];
    if (!(this.#primaryKey in key)) {
      return [...this.#holders(key)].flatMap((primary) => this.#records.get(primary) ?? []);
    }
    const record = this.#records.get(key[this.#primaryKey] as Value);
    const isAsked = (field: string) =>
      record && valuesAt(record, field).includes(key[field] as Value);
    return record && fields.every(isAsked) ? [record] : [];
  }

  #holders(key: Key): Iterable<Value> {
    const fields = Object.keys(key);
    const index = this.#indexes.find(
      (one) =>
        one.fields.length >= fields.length &&
        one.fields.slice(0, fields.length).every((field) => field in key),
    );
    if (!index) throw new Error(`no index begins with ${fields.join(", ")}`);
    const ordered = index.fields.slice(0, fields.length);
    const name = ordered.reduce((row, field) => bucketName(row, field, key[field] as Value), "");
    return this.#buckets.get(name) ?? [];
  }

  /** The buckets of a record in each index: in its first field, in its first two, and so on. */
  #bucketNames(record: Tables[T]): Set<string> {
    return new Set(this.#indexes.flatMap(({ fields }) => bucketNamesOf(fields, record).flat()));
  }

  #isAfter(
    record: Stored<T>,
    order: readonly string[],
    after: readonly Value[],
    descending: boolean,
  ): boolean {
    for (const [at, value] of after.entries()) {
      const compared = compare(valuesAt(record, order[at] ?? "")[0], value);
      if (compared !== 0) return descending ? compared < 0 : compared > 0;
    }
    return false;
  }
}

/** The values of a field; those of each item of a list. Null has none. */
export function valuesAt(record: object, path: string): Value[] {
  const found = path
    .split(".")
    .reduce<unknown[]>(
      (values, field) =>
        values.flatMap((value) => (value as Record<string, unknown> | null)?.[field] ?? []),
      [record],
    );
  return found.flat() as Value[];
}

/**
 * The names of the buckets of a record in an index: those in its first field, those in its first two fields, and so on.
 * A field that is a list gives a bucket for each item.
 */
function bucketNamesOf(fields: readonly string[], record: object): string[][] {
  let rows = [""];
  return fields.map((field) => {
    const values = valuesAt(record, field);
    rows = rows.flatMap((row) => values.map((value) => bucketName(row, field, value)));
    return rows;
  });
}

/** The name of the bucket of a value within a bucket. */
function bucketName(row: string, field: string, value: Value): string {
  return `${row}${field}=${JSON.stringify(value)},`;
}

/** The keys that a condition names: one for each value of a list of values. */
function combinations(where: Listing["where"]): Key[] {
  return Object.entries(where).reduce<Key[]>(
    (keys, [field, value]) =>
      keys.flatMap((key) => [value].flat().map((one) => ({ ...key, [field]: one as Value }))),
    [{}],
  );
}

function compareBy(order: readonly string[], a: object, b: object): number {
  for (const field of order) {
    const compared = compare(valuesAt(a, field)[0], valuesAt(b, field)[0]);
    if (compared !== 0) return compared;
  }
  return 0;
}

/** Compares texts by code units, which is the order of ids and times of day. Nothing comes first. */
function compare(a: Value | undefined, b: Value | undefined): number {
  if (a === b) return 0;
  if (a === undefined || b === undefined) return a === undefined ? -1 : 1;
  return a < b ? -1 : 1;
}
