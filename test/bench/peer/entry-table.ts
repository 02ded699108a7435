import type { EntryWithPosition } from "@queue-api/contract";
import Database from "libsql";
import { columns, type EntryRow, rowOf } from "./entry-row.js";

/** What a new row is made of. */
export interface NewEntry {
  readonly id: string;
  readonly queueId: string;
  readonly name: string;
  readonly phone: string;
  readonly serviceId: string | null;
  readonly issuedAt: number;
}

export type EntryTable = ReturnType<typeof openTable>;

/**
 * The peer's one table, in a file of its own, as durable as ours. Position and wait, which our service
 * works out, lie ready in it. `raw()` is the driver's fastest way to read columns.
 */
export function openTable(file: string) {
  const db = new Database(file);
  db.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    CREATE TABLE entries (
      token_number INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      queue_id TEXT NOT NULL,
      token_series TEXT NOT NULL,
      status TEXT NOT NULL,
      priority INTEGER NOT NULL,
      service_id TEXT,
      customer_name TEXT,
      customer_phone TEXT,
      issued_at INTEGER NOT NULL,
      started_at INTEGER,
      completed_at INTEGER,
      canceled_at INTEGER,
      predicted_wait_minutes INTEGER,
      position INTEGER
    );
    CREATE INDEX entries_by_queue ON entries (queue_id, token_number);`);
  const find = db.prepare(`SELECT ${columns} FROM entries WHERE id = ?`).raw();
  const page = db
    .prepare(`SELECT ${columns} FROM entries WHERE queue_id = ? ORDER BY token_number LIMIT ?`)
    .raw();
  const insert = db.prepare(`
    INSERT INTO entries (id, queue_id, token_series, status, priority, service_id, customer_name,
      customer_phone, issued_at)
    VALUES (?, ?, 'A', 'WAITING', 0, ?, ?, ?, ?)`);
  const copy = db.prepare(`
    INSERT INTO entries (queue_id, ${columns})
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);

  return {
    find: (id: string) => find.get([id]) as EntryRow | undefined,

    page: (queueId: string, limit: number) => page.all([queueId, limit]) as EntryRow[],

    /** Returns the number of the new row once it is on the disk. */
    insert({ id, queueId, name, phone, serviceId, issuedAt }: NewEntry): number {
      return Number(insert.run([id, queueId, serviceId, name, phone, issuedAt]).lastInsertRowid);
    },

    fill(queueId: string, entries: readonly EntryWithPosition[]): void {
      db.exec("BEGIN");
      for (const entry of entries) copy.run([queueId, ...rowOf(entry)]);
      db.exec("COMMIT");
    },
  };
}
