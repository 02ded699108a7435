import { type Field, fields } from "../fields.js";
import type { Stored, TableName, Tables } from "../tables.js";

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

/** A text as it is stored. The driver cuts a text at a NUL character, so a text with one is stored as JSON. */
export function storedText(text: string): string {
  const isPlain = !text.includes("\0") && !text.startsWith(encoded);
  return isPlain ? text : encoded + JSON.stringify(text);
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

const columnTypes: Readonly<Record<Field["type"], ColumnType>> = {
  text,
  number,
  flag,
  list: json,
  object: json,
  json,
};

/** A column, and the field that it stores. */
interface Column {
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
    this.#stored = Object.entries<Field>(fields[table]).map(([field, { type, isNullable }]) => {
      return { field, type: columnTypes[type], isNullable: isNullable ?? false };
    });
    const names = [...Object.keys(fields[table]), "version"];
    this.#empty = Object.fromEntries(names.map((name) => [name, null]));
    this.columns = [...this.#stored.map(({ field }) => columnOf(field)), "version"];
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
    for (const [at, { field, type }] of this.#stored.entries()) {
      const stored = values[at] as never;
      if (stored !== null) record[field] = type.read(stored);
    }
    record.version = values[this.#stored.length];
    return record as unknown as Stored<T>;
  }

  /** The values of all columns but the version. */
  values(record: Tables[T]): SqlValue[] {
    const fields = record as unknown as Values;
    return this.#stored.map(({ field, type }) => {
      const value = fields[field] ?? null;
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

/** The column of a field such as `tokenNumber`, or what it holds of `keyed.keptUntil`, a field of an object. */
export function columnOf(path: string): string {
  const [field = "", ...rest] = path.split(".");
  const column = field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return rest.length === 0 ? column : `${column} ->> '$.${rest.join(".")}'`;
}
