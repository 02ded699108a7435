import type { EntryStatus } from "@queue-api/contract";
import type { LineGroup } from "../../rules/day-counts.js";
import { numberOfToken } from "../../rules/token.js";
import { StoreUnavailableError } from "../errors.js";
import type { DayKey, Listing, Reads, Value, ViewListing } from "../port.js";
import { primaryKeys, type Stored, type TableName } from "../tables.js";
import { type Command, type Connection, isBusy, whileBusy } from "./connection.js";
import { type ItemTable, itemTables, tables } from "./schema.js";
import { columnOf, type SqlValue, storedText, type Table } from "./table.js";

/** How often a read tries while another process recovers the database: for four seconds. */
const maxTries = 160;

/**
 * Reads of one connection. Those of views run on the event loop: a reader of a database with a write-ahead log waits for
 * no writer, no checkpoint and no disk that synchronizes.
 */
export function readsOf(db: Connection): Reads {
  /** Tries again while another process recovers the database after a crash, which locks out readers. */
  async function rowsOf(command: Command): Promise<SqlValue[][]> {
    try {
      return await whileBusy(maxTries, () => db.all(command));
    } catch (error) {
      if (!isBusy(error)) throw error;
      const message = "another process holds the lock of the database";
      throw new StoreUnavailableError(message, { cause: error });
    }
  }

  async function list<T extends TableName>(table: T, listing: Listing): Promise<Stored<T>[]> {
    const rows = await rowsOf(selection(table, listing));
    return rows.map((row) => (tables[table] as unknown as Table<T>).read(row));
  }

  return {
    list,

    find: async (table, key) => (await list(table, { where: key, limit: 1 }))[0] ?? null,

    async count(day, read) {
      const { sql, values } = ofDay(day);
      const isCounted = "(status <> 'WAITING' OR token_number NOT BETWEEN ? AND ?)";
      const ofThose = `, sum(token_number < ?), sum(iif(token_number < ?, completed_at - started_at, 0))`;
      const rows = await rowsOf({
        // by what the index is ordered by, so that nothing is sorted
        sql: `
          SELECT queue_id, status, priority, work_minutes, count(*), sum(completed_at - started_at)
            ${read ? ofThose : ""}
          FROM entries WHERE ${sql} ${read ? `AND ${isCounted}` : ""} GROUP BY queue_id, status, priority, work_minutes`,
        values: read ? [read.first, read.first, ...values, read.first, read.last] : values,
      });
      return rows.flatMap((row) => groupsOf(row as CountedRow));
    },

    async line(day) {
      const { sql, values } = ofDay(day);
      const rows = await rowsOf({
        sql: `
          SELECT id, queue_id, priority, token_number, work_minutes FROM entries
          WHERE ${sql} AND status = 'WAITING' ORDER BY queue_id, priority DESC, token_number`,
        values,
      });
      return (rows as [string, string, number, number, number | null][]).map(
        ([id, queueId, priority, tokenNumber, workMinutes]) => {
          return { id, queueId, priority: priority === 1, tokenNumber, workMinutes };
        },
      );
    },

    async last({ businessId, date, queueId }) {
      const [row] = await rowsOf({
        // a token is the queue, a colon and the number; a semicolon comes after a colon
        sql: `
          SELECT
            (SELECT max(item) FROM entries_number
              WHERE business_id = ?1 AND date = ?2 AND item > ?3 || ':' AND item < ?3 || ';'),
            (SELECT max(sequence_in_day) FROM entries WHERE business_id = ?1 AND date = ?2),
            (SELECT max(changed_at) FROM entries WHERE business_id = ?1 AND date = ?2)`,
        values: [businessId, date, queueId],
      });
      const [token, sequence, changedAt] = row as [string | null, number | null, number | null];
      return {
        number: token === null ? 0 : numberOfToken(token),
        sequence: sequence ?? 0,
        changedAt: changedAt ?? 0,
      };
    },

    async waiting(dates) {
      const rows = await rowsOf({
        sql: `
          SELECT date, business_id, count(*), min(issued_at) FROM entries
          WHERE date IN (SELECT value FROM json_each(?)) AND status = 'WAITING'
          GROUP BY date, business_id`,
        values: [JSON.stringify(dates)],
      });
      return (rows as [string, string, number, number][]).map(
        ([date, businessId, waiting, firstIssuedAt]) => {
          return { businessId, date, waiting, firstIssuedAt };
        },
      );
    },
  };
}

/** The condition for the entries of a day. */
function ofDay({ businessId, date, queueId }: DayKey): Command {
  const sql = "business_id = ? AND date = ?";
  if (queueId === undefined) return { sql, values: [businessId, date] };
  return { sql: `${sql} AND queue_id = ?`, values: [businessId, date, queueId] };
}

/** The two last columns are of the entries before the `NumberRange`. Absent without a range: then all are before. */
type CountedRow = [
  queueId: string,
  status: EntryStatus,
  priority: number,
  workMinutes: number | null,
  entries: number,
  finishedMs: number | null,
  entriesBefore?: number,
  finishedMsBefore?: number | null,
];

function groupsOf(row: CountedRow): LineGroup[] {
  const [queueId, status, priority, workMinutes, entries, ms] = row;
  const [entriesBefore = entries, msBefore = ms] = row.slice(6) as [number?, (number | null)?];
  const group = { queueId, status, priority: priority === 1, workMinutes };
  const before = { entries: entriesBefore, finishedMs: msBefore ?? 0 };
  const others = { entries: entries - before.entries, finishedMs: (ms ?? 0) - before.finishedMs };
  return [
    { ...group, isBefore: true, ...before },
    { ...group, isBefore: false, ...others },
  ].filter((one) => one.entries > 0);
}

/** The query of a listing. */
function selection(table: TableName, listing: Listing | ViewListing): Command {
  const { where, order = [], descending = false, after, from, to, limit } = listing;
  const without = "without" in listing ? listing.without : null;
  const items = Object.entries(itemTables[table]).find(([path]) => path in where);
  const conditions: string[] = [];
  const values: SqlValue[] = [];
  const add = (condition: string, ...added: readonly Value[]) => {
    conditions.push(condition);
    values.push(...added.map(stored));
  };

  for (const [field, value] of Object.entries(where)) {
    const column = comparedColumn(field, items);
    if (Array.isArray(value)) {
      add(`${column} IN (SELECT value FROM json_each(?))`, JSON.stringify(value.map(stored)));
    } else {
      add(`${column} = ?`, value as Value);
    }
  }
  const [first] = order;
  if (first !== undefined && from != null) add(`t.${columnOf(first)} >= ?`, from);
  if (first !== undefined && to != null) add(`t.${columnOf(first)} <= ?`, to);
  if (after) {
    const columns = order.slice(0, after.length).map((field) => `t.${columnOf(field)}`);
    const placeholders = after.map(() => "?").join(", ");
    add(`(${columns.join(", ")}) ${descending ? "<" : ">"} (${placeholders})`, ...after);
  }

  const columns = tables[table].selected(without).join(", ");
  // CROSS JOIN keeps the order of the tables
  const source = items
    ? `${items[1].name} AS i CROSS JOIN ${table} AS t ON t.${primaryKeys[table]} = i.record`
    : `${table} AS t`;
  const condition = conditions.length > 0 ? ` WHERE ${conditions.join(" AND ")}` : "";
  const by = order.map((field) => `t.${columnOf(field)}${descending ? " DESC" : ""}`).join(", ");
  const inOrder = by && ` ORDER BY ${by}`;
  // the limit is no parameter: the plan depends on it, so SQLite would prepare the statement again for each value
  return { sql: `SELECT ${columns} FROM ${source}${condition}${inOrder} LIMIT ${limit}`, values };
}

/** The column of a field of a condition. Fields that the table of the items has are compared there. */
function comparedColumn(
  field: string,
  items: [path: string, table: ItemTable] | undefined,
): string {
  const column = columnOf(field);
  if (items && field === items[0]) return "i.item";
  return items?.[1].columns.includes(column) ? `i.${column}` : `t.${column}`;
}

/** The value to compare with. */
function stored(value: Value): SqlValue {
  if (typeof value === "boolean") return Number(value);
  return typeof value === "string" ? storedText(value) : value;
}
