import type { Command, Connection, Value } from "./connection.js";

/** How a field of a record is stored in a column. */
export interface Column<Field> {
  /** The type of the column with its constraint, for CREATE TABLE. */
  readonly type: string;
  readonly write: (field: Field) => Value;
  /** The SQL expression for the field as JSON. */
  readonly json: (column: string) => string;
}

/** The columns of a record, by the name of the field. The compiler requires every field. */
export type Columns<Row> = { readonly [Field in keyof Row]-?: Column<Row[Field]> };

const asIs = { write: (value: Value) => value, json: (column: string) => column };

export const text: Column<string> = { ...asIs, type: "TEXT NOT NULL" };
export const integer: Column<number> = { ...asIs, type: "INTEGER NOT NULL" };
export const flag: Column<boolean> = {
  type: "INTEGER NOT NULL",
  write: Number,
  json: (column) => `json(iif(${column}, 'true', 'false'))`,
};
/** A list or an object, as JSON text. */
export const json: Column<object> = {
  type: "TEXT NOT NULL",
  write: (field) => JSON.stringify(field),
  json: (column) => `json(${column})`,
};

/** A column that may be empty. */
export function optional<Field>({ type, write, json }: Column<Field>): Column<Field | null> {
  return {
    type: type.replace(" NOT NULL", ""),
    write: (field) => (field === null ? null : write(field)),
    json,
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

  /**
   * Prepares reading a list: the rows that `which` selects, in its order. `which` ends with a LIMIT (-1 for
   * all), because without one SQLite may ignore an inner ORDER BY. Rows are read as arrays, because parsing
   * objects takes longer. `columns`: part of the columns. Default: all.
   */
  list<Read extends Partial<Row> = Row>(
    db: Connection,
    which: string,
    columns?: object,
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
    const values = this.#columns.map(() => "?").join(", ");
    const insert = db.command(
      `INSERT INTO ${this.name} (${this.#names}) VALUES (${values}) ${conflict}`,
    );
    return (row) => insert(...this.#valuesOf(row)) > 0;
  }

  /** Prepares the insertion of many rows in one statement, because a call costs more than writing a row. */
  insertAll(db: Connection, conflict = ""): (rows: readonly Row[]) => void {
    const values = this.#columns.map((_, column) => `value ->> ${column}`).join(", ");
    const insert = db.command(
      `INSERT INTO ${this.name} (${this.#names}) SELECT ${values} FROM json_each(?) WHERE true ${conflict}`,
    );
    return (rows) => insert(JSON.stringify(rows.map((row) => this.#valuesOf(row))));
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
      const sets = changed.map(({ name }) => `${name} = ?`).join(", ");
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

  /**
   * Prepares reading and changing one row of a business, by its id. `columns`: the columns to read. Both
   * functions return null if the business has no such row.
   */
  owned<Read extends Partial<Row> = Row>(db: Connection, columns?: object) {
    const find = db.query<Read>(
      `SELECT ${this.json("t", columns)} FROM ${this.name} t WHERE t.id = ? AND t.business_id = ?`,
    );
    const update = this.update(db, "id" as keyof Row & string);
    return {
      find: (businessId: string, id: string): Read | null => find(id, businessId),
      change(businessId: string, id: string, change: Partial<Read>): Read | null {
        const before = find(id, businessId);
        return before && update(before, { ...before, ...change });
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
