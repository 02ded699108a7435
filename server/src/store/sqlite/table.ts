import type { Stored, TableName, Tables } from "../tables.js";

/** A value as SQLite stores it. */
export type SqlValue = string | number | null;

/** How a field of a record is stored in a column. */
interface Column<Value> {
  readonly write: (value: Value) => SqlValue;
  readonly read: (stored: SqlValue) => Value;
}

/** A field that is stored in several columns, one for each of its fields. All of them are null if it is null. */
interface Group<Value> {
  readonly columns: Columns<NonNullable<Value>>;
}

/** The columns of a record by its fields. The compiler requires every field. */
export type Columns<Row> = {
  readonly [Field in keyof Row]-?: Column<Row[Field]> | Group<Row[Field]>;
};

/** A field that is stored as it is: a text, a number, or null. */
export const plain = {
  write: (value: SqlValue) => {
    if (!isWhole(value)) throw new Error("a text with NUL needs a typed column");
    return value;
  },
  read: (stored: SqlValue) => stored as never,
};

/** Whether the driver binds all of a value. It cuts a text at a NUL character. */
export function isWhole(value: SqlValue): boolean {
  return typeof value !== "string" || !value.includes("\0");
}

/** Begins a text that is stored as JSON. */
const encoded = "\u0001";

/** A text that a person typed. The driver cuts a text at a NUL character, so a text with one is stored as JSON. */
export const typed = {
  write: (text: string | null) =>
    text?.includes("\0") || text?.startsWith(encoded) ? encoded + JSON.stringify(text) : text,
  read: (stored: SqlValue) =>
    (typeof stored === "string" && stored.startsWith(encoded)
      ? JSON.parse(stored.slice(encoded.length))
      : stored) as never,
};

/** A boolean, as 0 or 1. */
export const flag: Column<boolean> = { write: Number, read: (stored) => stored === 1 };

/** A list, an object or null, as JSON text. */
export const json = {
  write: (value: object | null) => (value === null ? null : JSON.stringify(value)),
  read: (stored: SqlValue) => (stored === null ? null : JSON.parse(stored as string)) as never,
};

/** A column, the field that it stores, and the field of the record of which that is one; null for the record itself. */
interface Place {
  readonly group: string | null;
  readonly field: string;
  readonly column: Column<unknown>;
}

type Fields = Record<string, unknown>;

/** How the records of a table are stored in rows. A column has the name of its field, in lower case with underscores. */
export class Table<T extends TableName> {
  /** The names of its columns; the version is the last one. */
  readonly columns: readonly string[];
  readonly #places: readonly Place[];

  constructor(columns: Columns<Tables[T]>) {
    this.#places = placesOf(columns);
    this.columns = [...this.#places.map(({ field }) => columnOf(field)), "version"];
  }

  /** The record in the values of all columns. */
  read(values: readonly SqlValue[]): Stored<T> {
    const record: Fields = {};
    let at = 0;
    for (const { group, field, column } of this.#places) {
      const value = values[at++] as SqlValue;
      if (group === null) record[field] = column.read(value);
      else if (value === null) record[group] = null;
      else {
        record[group] ??= {};
        (record[group] as Fields)[field] = column.read(value);
      }
    }
    record.version = values[at];
    return record as unknown as Stored<T>;
  }

  /** The values of all columns but the version. */
  values(record: Tables[T]): SqlValue[] {
    const fields = record as unknown as Fields;
    return this.#places.map(({ group, field, column }) => {
      const holder = group === null ? fields : (fields[group] as Fields | null);
      return holder === null ? null : column.write(holder[field]);
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

function placesOf(columns: object, group: string | null = null): Place[] {
  return Object.entries(columns as Record<string, Column<unknown> | Group<never>>).flatMap(
    ([field, column]) =>
      "columns" in column ? placesOf(column.columns, field) : [{ group, field, column }],
  );
}

/** The column of a field, such as `kept_until` for `keyed.keptUntil`. */
export function columnOf(path: string): string {
  const field = path.slice(path.lastIndexOf(".") + 1);
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
