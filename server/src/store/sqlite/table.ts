import type { Field, Fields } from "../../rules/fields.js";
import { type Stored, type TableName, type Tables, tableFields } from "../tables.js";

/** A value as SQLite stores it. */
export type SqlValue = string | number | null;

/** How a value is stored in a column. Null is stored as it is. */
interface ColumnType {
  readonly sql: "TEXT" | "INTEGER";
  readonly write: (value: never) => SqlValue;
  readonly read: (stored: never) => unknown;
}

/** Begins a text that is stored as JSON. */
const encoded = "\u0001";

/** A text as it is stored. The driver cuts a text at a NUL character, so one with it is stored as JSON. */
export function storedText(value: string): string {
  const isPlain = !value.includes("\0") && !value.startsWith(encoded);
  return isPlain ? value : encoded + JSON.stringify(value);
}

const text: ColumnType = {
  sql: "TEXT",
  write: storedText,
  read: (stored: string) =>
    stored.startsWith(encoded) ? JSON.parse(stored.slice(encoded.length)) : stored,
};

const number: ColumnType = {
  sql: "INTEGER",
  write: (value: number) => value,
  read: (stored: number) => stored,
};

const flag: ColumnType = { sql: "INTEGER", write: Number, read: (stored: number) => stored === 1 };

const json: ColumnType = {
  sql: "TEXT",
  write: (value: object) => JSON.stringify(value),
  read: (stored: string) => JSON.parse(stored),
};

const columnTypes: Readonly<Record<Exclude<Field["type"], "split">, ColumnType>> = {
  text,
  number,
  flag,
  list: json,
  object: json,
  json,
};

/** A column, and the field that it stores. `group`: the object in the record of which that is one; null for none. */
interface Column {
  readonly group: string | null;
  readonly field: string;
  readonly type: ColumnType;
  readonly isNullable: boolean;
}

type Values = Record<string, unknown>;

/** How the records of a table are stored in rows. A column has the name of its field, in lower case with underscores. */
export class Table<T extends TableName> {
  /** The names of its columns; the version is the last one. */
  readonly columns: readonly string[];
  readonly #stored: readonly Column[];
  /**
   * A record without values, which each row fills. A record that grew field by field would be slow to copy: a caller that
   * polls a list of 50 would wait half as long again.
   */
  readonly #empty: Values;

  constructor(table: T) {
    this.#stored = columnsOf(tableFields[table]);
    const names = [...Object.keys(tableFields[table]), "version"];
    this.#empty = Object.fromEntries(names.map((name) => [name, null]));
    this.columns = [...this.#stored.map(({ field }) => columnOf(field)), "version"];
  }

  /** What a query selects from a row `t`. The columns of the field `without` are selected as NULL; null for none. */
  selected(without: string | null): string[] {
    const isLeftOut = (at: number) => without !== null && this.#stored[at]?.group === without;
    return this.columns.map((column, at) => (isLeftOut(at) ? "NULL" : `t.${column}`));
  }

  /** The definitions of its columns in SQL. */
  get definitions(): string[] {
    const definitions = this.#stored.map(({ field, type, isNullable }) => {
      return `${columnOf(field)} ${type.sql}${isNullable ? "" : " NOT NULL"}`;
    });
    return [...definitions, "version INTEGER NOT NULL"];
  }

  /** The record in the values of all columns. */
  read(values: readonly SqlValue[]): Stored<T> {
    const record: Values = { ...this.#empty };
    for (const [at, { group, field, type }] of this.#stored.entries()) {
      const stored = values[at] as never;
      if (stored === null) continue;
      const value = type.read(stored);
      if (group === null) record[field] = value;
      else {
        record[group] ??= {};
        (record[group] as Values)[field] = value;
      }
    }
    record.version = values[this.#stored.length];
    return record as unknown as Stored<T>;
  }

  /** The values of all columns but the version. */
  values(record: Tables[T]): SqlValue[] {
    const fields = record as unknown as Values;
    return this.#stored.map(({ group, field, type }) => {
      const holder = group === null ? fields : (fields[group] as Values | null);
      const value = holder?.[field] ?? null;
      return value === null ? null : type.write(value as never);
    });
  }

  /** The columns in which two records differ, with the values of the later one. */
  changes(before: Tables[T], after: Tables[T]): (readonly [column: string, value: SqlValue])[] {
    const [old, next] = [this.values(before), this.values(after)];
    return next.flatMap((value, at) =>
      value === old[at] ? [] : [[this.columns[at] as string, value] as const],
    );
  }
}

/** `group`: the object that has these fields; null for the record. Its columns are null if it is. */
function columnsOf(all: Fields, group: string | null = null): Column[] {
  return Object.entries(all).flatMap(([field, { type, isNullable = false, fields = {} }]) => {
    if (type === "split") return columnsOf(fields, field);
    return { group, field, type: columnTypes[type], isNullable: isNullable || group !== null };
  });
}

/** The column of a field, such as `kept_until` for `keyed.keptUntil`. */
export function columnOf(path: string): string {
  const field = path.slice(path.lastIndexOf(".") + 1);
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
