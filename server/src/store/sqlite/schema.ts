import type { Fields } from "../../rules/fields.js";
import { type Index, indexes, primaryKeys, type TableName, tableFields } from "../tables.js";
import { columnOf, Table } from "./table.js";

/** The version of the schema, in the header of the file. */
export const schemaVersion = 1;

const names = Object.keys(primaryKeys) as TableName[];

/** How the records of each table are stored. */
export const tables = Object.fromEntries(names.map((name) => [name, new Table(name)])) as {
  readonly [T in TableName]: Table<T>;
};

/** The indexes of this adapter beside those of `tables.ts`. They hold all that is counted of a day, and all of a line. */
const ownIndexes = `
  CREATE INDEX entries_count ON entries (business_id, date, queue_id, status, priority, work_minutes,
    token_number, started_at, completed_at);
  CREATE INDEX entries_line ON entries (date, business_id, queue_id, priority DESC, token_number,
    work_minutes, issued_at, id) WHERE status = 'WAITING';`;

/** A table of the items of a list in a record, by which the record is found: an index over a list. */
export interface ItemTable {
  readonly name: string;
  /** The column of the list, and the value of an item of it in SQL. */
  readonly list: string;
  readonly item: string;
  /** The columns of the fields before the list, and `item`. */
  readonly columns: readonly string[];
  /** Whether no two records may have an item in common. */
  readonly isUnique: boolean;
}

/** The table of an index whose last field names items of a list, such as `keys.id`; null for any other index. */
function itemTableOf(table: TableName, name: string, index: Index): ItemTable | null {
  const [list = "", ...path] = (index.fields.at(-1) ?? "").split(".");
  if ((tableFields[table] as Fields)[list]?.type !== "list") return null;
  return {
    name: `${table}_${name}`,
    list: columnOf(list),
    item: path.length === 0 ? "value" : `value ->> '$.${path.join(".")}'`,
    columns: [...index.fields.slice(0, -1).map(columnOf), "item"],
    isUnique: index.unique ?? false,
  };
}

/** The tables of items, by table and the path of the item. */
export const itemTables = Object.fromEntries(
  names.map((table) => {
    const found = Object.entries<Index>(indexes[table]).flatMap(([name, index]) => {
      const items = itemTableOf(table, name, index);
      return items ? [[index.fields.at(-1), items] as const] : [];
    });
    return [table, Object.fromEntries(found)];
  }),
) as Readonly<Record<TableName, Readonly<Record<string, ItemTable>>>>;

/** Creates the table of a list, and the triggers by which SQLite keeps it. */
function schemaOfItems(table: TableName, of: ItemTable): string {
  const { name, list, item, columns, isUnique } = of;
  const primary = primaryKeys[table];
  const fields = columns.slice(0, -1);
  const key = isUnique ? columns : [...columns, "record"];
  const values = (row: string) => [...fields.map((field) => `${row}.${field}`), item].join(", ");
  const add = `
    INSERT INTO ${name} SELECT DISTINCT ${values("new")}, new.${primary}
    FROM json_each(new.${list}) WHERE ${item} IS NOT NULL;`;
  const remove = `
    DELETE FROM ${name} WHERE record = old.${primary}
    AND (${columns.join(", ")}) IN (SELECT ${values("old")} FROM json_each(old.${list}));`;
  return `
    CREATE TABLE ${name} (
      ${columns.map((column) => `${column} TEXT NOT NULL`).join(", ")},
      record TEXT NOT NULL, PRIMARY KEY (${key.join(", ")})
    ) STRICT, WITHOUT ROWID;
    CREATE TRIGGER ${name}_insert AFTER INSERT ON ${table} BEGIN ${add} END;
    CREATE TRIGGER ${name}_update AFTER UPDATE OF ${list} ON ${table} BEGIN ${remove} ${add} END;
    CREATE TRIGGER ${name}_delete AFTER DELETE ON ${table} BEGIN ${remove} END;`;
}

function schemaOfIndex(table: TableName, name: string, index: Index): string {
  const items = itemTableOf(table, name, index);
  if (items) return schemaOfItems(table, items);
  const columns = index.fields.map(columnOf);
  const kind = index.unique ? "UNIQUE INDEX" : "INDEX";
  const some = index.some ? ` WHERE ${columns.at(-1)} IS NOT NULL` : "";
  return `CREATE ${kind} ${table}_${columnOf(name)} ON ${table} (${columns.join(", ")})${some};`;
}

function schemaOfTable(table: TableName): string {
  const columns = [...tables[table].definitions, `PRIMARY KEY (${primaryKeys[table]})`];
  return `CREATE TABLE ${table} (${columns.join(", ")}) STRICT;`;
}

/** Creates the schema in an empty database. */
export const schema = [
  ...names.flatMap((table) => [
    schemaOfTable(table),
    ...Object.entries(indexes[table]).map(([name, index]) => schemaOfIndex(table, name, index)),
  ]),
  ownIndexes,
].join("\n");
