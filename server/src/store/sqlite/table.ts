import { importPart } from "../port/imports.js";
import type { Part } from "../port/page.js";
import type { Command, Connection, Value } from "./connection.js";

/** How a field of a record is stored in a column. */
export interface Column<Field> {
  /** The type of the column with its constraint, for CREATE TABLE. */
  readonly type: string;
  readonly write: (field: Field) => Value;
  /** The SQL expression for the bound value. */
  readonly given: string;
  /** The SQL expression for the field as JSON. */
  readonly json: (column: string) => string;
}

/** The columns of a record, by the name of the field. The compiler requires every field. */
export type Columns<Row> = { readonly [Field in keyof Row]-?: Column<Row[Field]> };

const asIs = { write: (value: Value) => value, given: "?", json: (column: string) => column };

/** A connection binds a text as its bytes if it has a NUL character. */
export const text: Column<string> = { ...asIs, type: "TEXT NOT NULL", given: "CAST(? AS TEXT)" };
export const integer: Column<number> = { ...asIs, type: "INTEGER NOT NULL" };
export const flag: Column<boolean> = {
  type: "INTEGER NOT NULL",
  given: "?",
  write: Number,
  json: (column) => `json(iif(${column}, 'true', 'false'))`,
};
/** A list or an object, as JSON text. */
export const json: Column<object> = {
  type: "TEXT NOT NULL",
  given: "?",
  write: (field) => JSON.stringify(field),
  json: (column) => `json(${column})`,
};

/** A column that may be empty. */
export function optional<Field>({ type, write, given, json }: Column<Field>): Column<Field | null> {
  return {
    type: type.replace(" NOT NULL", ""),
    write: (field) => (field === null ? null : write(field)),
    ...{ given, json },
  };
}

interface Placed {
  readonly field: string;
  readonly name: string;
  readonly column: Column<unknown>;
}

/**
 * A table, described once: the statements that create, insert, change and read its rows follow from its
 * columns. The name of a column is the name of its field with underscores.
 */
export class Table<Row extends object> {
  readonly name: string;
  readonly #columns: readonly Placed[];

  constructor(name: string, columns: Columns<Row>) {
    this.name = name;
    this.#columns = placed(columns);
  }

  /** The columns for CREATE TABLE. */
  get definition(): string {
    return this.#columns.map(({ name, column }) => `${name} ${column.type}`).join(", ");
  }

  /** The SQL expression for a row as a JSON object. `columns`: part of the columns. Default: all. */
  json(row: string, columns?: object): string {
    const parts = columns ? placed(columns) : this.#columns;
    const fields = parts.map(({ field, name, column }) => {
      return `'${field}', ${column.json(`${row}.${name}`)}`;
    });
    return `json_object(${fields.join(", ")})`;
  }

  /** Prepares reading the row for which a condition holds. `columns`: part of the columns. Default: all. */
  find<Read extends Partial<Row> = Row>(db: Connection, which: string, columns?: Columns<Read>) {
    return db.query<Read>(
      `SELECT ${this.json(this.name, columns)} FROM ${this.name} WHERE ${which}`,
    );
  }

  /**
   * Prepares reading rows of a business part by part, in the order of some fields. A part begins after the values
   * of these fields in `after`, as JSON. `and` is a further condition. `columns` has the fields at least.
   */
  parts<Read extends Partial<Row> = Row>(
    db: Connection,
    order: readonly NoInfer<keyof Read & string>[],
    { columns, and = "" }: { readonly columns?: Columns<Read>; readonly and?: string } = {},
  ): (businessId: string, after: string, ...values: Value[]) => Part<Read> {
    const key = order.map(snake).join(", ");
    const list = this.list<Read>(
      db,
      `WHERE business_id = ? AND (${key}) > (${order.map(() => "?")}) ${and} ORDER BY ${key} LIMIT ${importPart}`,
      columns,
    );
    return (businessId, after, ...values) => {
      const items = list(businessId, ...(JSON.parse(after) as Value[]), ...values);
      const end = items.length === importPart ? items.at(-1) : undefined;
      return { items, next: end ? JSON.stringify(order.map((field) => end[field])) : null };
    };
  }

  /**
   * Prepares reading a list: the rows that `which` selects, in its order. `which` ends with a LIMIT (-1 for
   * all), because without one SQLite may ignore an inner ORDER BY. Rows are read as arrays, because parsing
   * objects takes longer. `columns`: part of the columns. Default: all.
   */
  list<Read extends Partial<Row> = Row>(
    db: Connection,
    which: string,
    columns?: Columns<Read>,
  ): (...values: Value[]) => Read[] {
    const parts = columns ? placed(columns) : this.#columns;
    const fields = parts.map(({ field }) => field);
    const values = parts.map(({ name, column }) => column.json(`t.${name}`)).join(", ");
    const query = db.query<unknown[][]>(
      `SELECT json_group_array(json_array(${values})) FROM (SELECT * FROM ${this.name} ${which}) t`,
    );
    const empty = Object.fromEntries(fields.map((field) => [field, null]));
    const read = (values: readonly unknown[]) => {
      const row: Record<string, unknown> = { ...empty }; // adding fields one by one takes longer
      for (let index = 0; index < fields.length; index++)
        row[fields[index] as string] = values[index];
      return row as Read;
    };
    return (...values) => (query(...values) ?? []).map(read);
  }

  /** Prepares the insertion of a row. `conflict` is an upsert clause. Returns whether it was inserted. */
  insert(db: Connection, conflict = ""): (row: Row) => boolean {
    const values = this.#columns.map(({ column }) => column.given).join(", ");
    const insert = db.command(
      `INSERT INTO ${this.name} (${this.#names}) VALUES (${values}) ${conflict}`,
    );
    return (row) => insert(...this.#valuesOf(row)) > 0;
  }

  /**
   * Prepares changes of rows. A change writes the columns that differ, so that SQLite touches only their
   * indexes. `key` is the field that identifies a row. Fields that the records lack stay as they are.
   */
  update(
    db: Connection,
    key: keyof Row & string,
  ): <Known extends Partial<Row>>(before: Known, after: Known) => Known {
    const commands = new Map<string, Command>();
    const prepare = (changed: readonly Placed[]) => {
      const sets = changed.map(({ name, column }) => `${name} = ${column.given}`).join(", ");
      return db.command(`UPDATE ${this.name} SET ${sets} WHERE ${snake(key)} = ?`);
    };
    return (before, after) => {
      const changed = this.#columns.filter(
        (column) =>
          column.field in after && storedValue(before, column) !== storedValue(after, column),
      );
      if (changed.length === 0) return after;
      const name = changed.map(({ field }) => field).join();
      const command = commands.get(name) ?? prepare(changed);
      commands.set(name, command);
      command(...changed.map((column) => storedValue(after, column)), before[key] as string);
      return after;
    };
  }

  /** Prepares reading all rows of a business. */
  ofBusiness<Read extends Partial<Row> = Row>(
    db: Connection,
    order: string,
    columns?: Columns<Read>,
  ): (businessId: string) => Read[] {
    const list = this.list(db, `WHERE business_id = ? ORDER BY ${order} LIMIT -1`, columns);
    return (businessId) => list(businessId);
  }

  /**
   * Prepares the operations on single rows of a business, by their ids. `find` and `change` return null if the
   * business has no such row.
   */
  owned<Read extends Partial<Row> = Row>(db: Connection, columns?: Columns<Read>) {
    const find = this.find<Read>(db, "id = ? AND business_id = ?", columns);
    const update = this.update(db, "id" as keyof Row & string);
    const insert = this.insert(db, "ON CONFLICT (id) DO NOTHING");
    const remove = db.command(`DELETE FROM ${this.name} WHERE id = ?`);
    return {
      find: (businessId: string, id: string): Read | null => find(id, businessId),
      add: (row: Row) => (insert(row) ? "added" : "exists"),
      change(businessId: string, id: string, change: Partial<Read>): Read | null {
        const before = find(id, businessId);
        return before && update(before, { ...before, ...change });
      },
      remove(businessId: string, id: string, isInUse: (row: Read) => boolean) {
        const row = find(id, businessId);
        if (!row) return "not_found";
        if (isInUse(row)) return "in_use";
        remove(id);
        return "removed";
      },
    };
  }

  get #names(): string {
    return this.#columns.map(({ name }) => name).join(", ");
  }

  #valuesOf(row: Row): Value[] {
    return this.#columns.map((column) => storedValue(row, column));
  }
}

function storedValue(row: object, { field, column }: Placed): Value {
  return column.write((row as Record<string, unknown>)[field]);
}

function placed(columns: object): Placed[] {
  return Object.entries(columns).map(([field, column]) => {
    return { field, name: snake(field), column: column as Column<unknown> };
  });
}

function snake(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
