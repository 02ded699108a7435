import { DatabaseSync, type StatementSyncInstance } from "@photostructure/sqlite";
import type { PeerDatabase, Tables } from "./peer-database.js";

const tables = `
  CREATE TABLE keys (id TEXT PRIMARY KEY, businessId TEXT NOT NULL, secretHash TEXT NOT NULL, allowIps TEXT NOT NULL,
    me TEXT NOT NULL, apiAccess INTEGER NOT NULL, expiresAt INTEGER, revokedAt INTEGER, dailyLimit INTEGER) STRICT;
  CREATE TABLE queues (id TEXT PRIMARY KEY, businessId TEXT NOT NULL, tokenSeries TEXT NOT NULL,
    isActive INTEGER NOT NULL, isPaused INTEGER NOT NULL) STRICT;
  CREATE TABLE services (id TEXT PRIMARY KEY, businessId TEXT NOT NULL, minutes INTEGER, active INTEGER NOT NULL) STRICT;
  CREATE TABLE windows (id TEXT PRIMARY KEY, startedAt INTEGER NOT NULL, requests INTEGER NOT NULL,
    writes INTEGER NOT NULL) STRICT;
  CREATE TABLE entries (id TEXT PRIMARY KEY, businessId TEXT NOT NULL, queueId TEXT NOT NULL, date TEXT NOT NULL,
    resource TEXT NOT NULL, tokenNumber INTEGER NOT NULL, placeInDay INTEGER NOT NULL, priority INTEGER NOT NULL,
    workMinutes INTEGER, startedAt INTEGER, completedAt INTEGER, key TEXT, fingerprint TEXT, status TEXT NOT NULL) STRICT;
  CREATE TABLE audit (id TEXT PRIMARY KEY, businessId TEXT NOT NULL, keyId TEXT NOT NULL, at INTEGER NOT NULL,
    method TEXT NOT NULL, path TEXT NOT NULL, status INTEGER NOT NULL, ip TEXT NOT NULL) STRICT;
  CREATE UNIQUE INDEX numbers ON entries (businessId, date, queueId, tokenNumber);
  CREATE UNIQUE INDEX places ON entries (businessId, date, placeInDay);
  CREATE UNIQUE INDEX entry_keys ON entries (businessId, key) WHERE key IS NOT NULL;
  CREATE INDEX line ON entries (businessId, date, queueId, status, priority, workMinutes, tokenNumber,
    startedAt, completedAt);
  CREATE INDEX log ON audit (businessId, at);`;

type Value = string | number | null;

/** A connection with its statements. */
function connect(file: string, synchronous: "FULL" | "NORMAL") {
  const db = new DatabaseSync(file);
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}`);
  const statements = new Map<string, StatementSyncInstance>();
  const statement = (sql: string) => {
    const known = statements.get(sql) ?? db.prepare(sql);
    statements.set(sql, known);
    return known;
  };
  const insert = (table: keyof Tables, record: object) => {
    const names = Object.keys(record);
    const sql = `INSERT INTO ${table} (${names.join()}) VALUES (${names.map(() => "?").join()})`;
    statement(sql).run(...Object.values(record));
  };
  return { db, statement, insert };
}

/**
 * The peer's database in a file. As in our service, a creation survives a power cut, and a window and the row of a read
 * survive the end of the process.
 */
export async function sqliteDatabase(url: string): Promise<PeerDatabase> {
  const file = url.slice("file:".length);
  const [kept, quick] = [connect(file, "FULL"), connect(file, "NORMAL")];
  kept.db.exec(tables);

  const matching = (where: object) =>
    Object.keys(where)
      .map((name) => `${name} = ?`)
      .join(" AND ");
  const valuesOf = (where: object) => Object.values(where) as Value[];

  return {
    async find(table, where) {
      const sql = `SELECT * FROM ${table} WHERE ${matching(where)}`;
      return (quick.statement(sql).get(...valuesOf(where)) as never) ?? null;
    },

    async page(where, after, limit) {
      const sql = `SELECT * FROM entries
        WHERE ${matching(where)} AND tokenNumber > ? ORDER BY tokenNumber LIMIT ${limit}`;
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
        (SELECT coalesce(max(placeInDay), 0) FROM entries WHERE businessId = ?1 AND date = ?2) AS place`;
      return quick.statement(sql).get(businessId, date, queueId) as never;
    },

    async charge({ id, ...before }, { startedAt, requests, writes }) {
      const sql = `UPDATE windows SET startedAt = ?, requests = ?, writes = ?
        WHERE id = ? AND startedAt = ? AND requests = ? AND writes = ?`;
      const asRead = [id, before.startedAt, before.requests, before.writes];
      return quick.statement(sql).run(startedAt, requests, writes, ...asRead).changes === 1;
    },

    async insert(table, record, audit) {
      const { db, insert } = table === "entries" ? kept : quick;
      db.exec("BEGIN IMMEDIATE");
      try {
        insert(table, record);
        if (audit) insert("audit", audit);
        db.exec("COMMIT");
        return true;
      } catch (error) {
        db.exec("ROLLBACK");
        const isTaken = [2067, 1555].includes((error as { errcode?: number }).errcode ?? 0);
        if (isTaken) return false;
        throw error;
      }
    },
  };
}
