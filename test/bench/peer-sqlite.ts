import {
  DatabaseSync,
  type DatabaseSyncInstance,
  type StatementSyncInstance,
} from "@photostructure/sqlite";
import { columns, namesOf, type PeerDatabase, type Tables } from "./peer-database.js";

const indexes = `
  CREATE UNIQUE INDEX numbers ON entries (businessId, date, queueId, tokenNumber);
  CREATE UNIQUE INDEX sequences ON entries (businessId, date, sequenceInDay);
  CREATE UNIQUE INDEX entry_keys ON entries (businessId, key) WHERE key IS NOT NULL;
  CREATE INDEX line ON entries (businessId, date, queueId, status, priority, workMinutes, tokenNumber,
    startedAt, completedAt);
  CREATE INDEX log ON audit (businessId, at);`;

type Value = string | number | null;

function connect(file: string, synchronous: "FULL" | "NORMAL") {
  const db: DatabaseSyncInstance = new DatabaseSync(file);
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}`);
  const statements = new Map<string, StatementSyncInstance>();
  const statement = (sql: string) => {
    const known = statements.get(sql) ?? db.prepare(sql);
    statements.set(sql, known);
    return known;
  };
  return { db, statement };
}

/**
 * The peer's database in a file. As in our service, a creation survives a power cut, and a window and the row of a read
 * survive the end of the process.
 */
export async function sqliteDatabase(url: string): Promise<PeerDatabase> {
  const file = url.slice("file:".length);
  const [kept, quick] = [connect(file, "FULL"), connect(file, "NORMAL")];
  for (const [table, of] of Object.entries(columns)) {
    const typed = of.map((column) =>
      column === "id" ? "id TEXT PRIMARY KEY" : `${column} NOT NULL`.replace("? NOT NULL", ""),
    );
    kept.db.exec(`CREATE TABLE ${table} (${typed.join(", ")}) STRICT`);
  }
  kept.db.exec(indexes);

  const whereOf = (where: object) =>
    Object.keys(where)
      .map((name) => `${name} = ?`)
      .join(" AND ");
  const valuesOf = (record: object) => Object.values(record) as Value[];
  const insert = ({ statement }: typeof kept, table: keyof Tables, record: object) => {
    const names = namesOf(table);
    const sql = `INSERT INTO ${table} (${names.join()}) VALUES (${names.map(() => "?").join()})`;
    statement(sql).run(...names.map((name) => (record as Record<string, Value>)[name] ?? null));
  };

  return {
    async find(table, where) {
      const sql = `SELECT ${namesOf(table).join()} FROM ${table} WHERE ${whereOf(where)}`;
      return (quick.statement(sql).get(...valuesOf(where)) as never) ?? null;
    },

    async page(where, after, limit) {
      const sql = `SELECT ${namesOf("entries").join()} FROM entries
        WHERE ${whereOf(where)} AND tokenNumber > ? ORDER BY tokenNumber LIMIT ${limit}`;
      return quick.statement(sql).all(...valuesOf(where), after) as never;
    },

    async groups({ businessId, date, queueId }, number) {
      const sql = `SELECT status, priority, workMinutes, count(*) AS entries,
        sum(tokenNumber < ?) AS before, coalesce(sum(completedAt - startedAt), 0) AS finishedMs FROM entries
        WHERE businessId = ? AND date = ? AND queueId = ? GROUP BY status, priority, workMinutes`;
      return quick.statement(sql).all(number, businessId, date, queueId) as never;
    },

    async last({ businessId, date, queueId }) {
      const sql = `SELECT (SELECT coalesce(max(tokenNumber), 0) FROM entries
          WHERE businessId = ?1 AND date = ?2 AND queueId = ?3) AS number,
        (SELECT coalesce(max(sequenceInDay), 0) FROM entries WHERE businessId = ?1 AND date = ?2) AS sequence`;
      return quick.statement(sql).get(businessId, date, queueId) as never;
    },

    async charge(before, { startedAt, requests, writes }) {
      const sql = `UPDATE windows SET startedAt = ?, requests = ?, writes = ?
        WHERE id = ? AND startedAt = ? AND requests = ? AND writes = ?`;
      const asRead = [before.id, before.startedAt, before.requests, before.writes];
      return quick.statement(sql).run(startedAt, requests, writes, ...asRead).changes === 1;
    },

    async insert(table, record, audit) {
      const connection = table === "entries" ? kept : quick;
      connection.db.exec("BEGIN IMMEDIATE");
      try {
        insert(connection, table, record);
        if (audit) insert(connection, "audit", audit);
        connection.db.exec("COMMIT");
        return true;
      } catch (error) {
        connection.db.exec("ROLLBACK");
        const isTaken = [2067, 1555].includes((error as { errcode?: number }).errcode ?? 0);
        if (isTaken) return false;
        throw error;
      }
    },
  };
}
