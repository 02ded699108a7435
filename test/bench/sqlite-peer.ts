import { randomUUID } from "node:crypto";
import { DatabaseSync } from "@photostructure/sqlite";
import type { Entry, EntryWithPosition } from "@queue-api/contract";
import express, { type Express } from "express";
import { answerQuestions, serve } from "./worker.js";

/** A row of the peer's table, in the order of {@link columns}. */
export type EntryRow = [
  id: string,
  tokenSeries: string,
  tokenNumber: number,
  status: Entry["status"],
  priority: number,
  serviceId: string | null,
  customerName: string | null,
  customerPhone: string | null,
  issuedAt: number,
  startedAt: number | null,
  completedAt: number | null,
  canceledAt: number | null,
  predictedWaitMinutes: number | null,
  position: number | null,
];

export const columns = `id, token_series, token_number, status, priority, service_id, customer_name,
  customer_phone, issued_at, started_at, completed_at, canceled_at, predicted_wait_minutes, position`;

export function rowOf(entry: EntryWithPosition): EntryRow {
  return [
    entry.id,
    entry.tokenSeries,
    entry.tokenNumber,
    entry.status,
    Number(entry.priority),
    entry.serviceId,
    entry.customer.name,
    entry.customer.phone,
    Date.parse(entry.issuedAt),
    millisecondsOf(entry.startedAt),
    millisecondsOf(entry.completedAt),
    millisecondsOf(entry.canceledAt),
    entry.predictedWaitMinutes,
    entry.position,
  ];
}

/** The JSON of an entry in a list. */
export function entryOf(row: EntryRow) {
  const [id, tokenSeries, tokenNumber, status, priority, serviceId, name, phone, ...rest] = row;
  const [issuedAt, startedAt, completedAt, canceledAt, predictedWaitMinutes] = rest;
  return {
    id,
    token: `${tokenSeries}${tokenNumber}`,
    tokenSeries,
    tokenNumber,
    status,
    priority: priority === 1,
    serviceId,
    customer: { name, phone },
    issuedAt: new Date(issuedAt).toISOString(),
    startedAt: timestampOf(startedAt),
    completedAt: timestampOf(completedAt),
    canceledAt: timestampOf(canceledAt),
    predictedWaitMinutes,
  };
}

/** The JSON of an entry alone. */
export function entryWithPositionOf(row: EntryRow) {
  return { ...entryOf(row), position: row[13] };
}

function millisecondsOf(timestamp: string | null): number | null {
  return timestamp === null ? null : Date.parse(timestamp);
}

function timestampOf(milliseconds: number | null): string | null {
  return milliseconds === null ? null : new Date(milliseconds).toISOString();
}

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
 * works out, lie ready in it. Arrays are the driver's fastest way to read columns.
 */
export function openTable(file: string) {
  const db = new DatabaseSync(file, { returnArrays: true });
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
  const find = db.prepare(`SELECT ${columns} FROM entries WHERE id = ?`);
  const page = db.prepare(
    `SELECT ${columns} FROM entries WHERE queue_id = ? ORDER BY token_number LIMIT ?`,
  );
  const insert = db.prepare(`
    INSERT INTO entries (id, queue_id, token_series, status, priority, service_id, customer_name,
      customer_phone, issued_at)
    VALUES (?, ?, 'A', 'WAITING', 0, ?, ?, ?, ?)`);
  const copy = db.prepare(`
    INSERT INTO entries (queue_id, ${columns})
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);

  return {
    find: (id: string) => find.get(id) as EntryRow | undefined,

    page: (queueId: string, limit: number) => page.all(queueId, limit) as EntryRow[],

    /** Returns the number of the new row once it is on the disk. */
    insert({ id, queueId, name, phone, serviceId, issuedAt }: NewEntry): number {
      return Number(insert.run(id, queueId, serviceId, name, phone, issuedAt).lastInsertRowid);
    },

    fill(queueId: string, entries: readonly EntryWithPosition[]): void {
      db.exec("BEGIN");
      for (const entry of entries) copy.run(queueId, ...rowOf(entry));
      db.exec("COMMIT");
    },
  };
}

const pageSize = 50;

/**
 * What one writes with Express 5 and a driver in an afternoon: no keys, windows, checks or audit, and
 * Express as it comes. It sends the JSON that our service sends.
 */
export function bareExpress(table: EntryTable): Express {
  const app = express();

  app.get("/v1/entries/:entryId", (req, res) => {
    const row = table.find(req.params.entryId);
    if (row) res.json({ data: entryWithPositionOf(row) });
    else res.sendStatus(404);
  });

  app.get("/v1/queues/:queueId/entries", (req, res) => {
    const rows = table.page(req.params.queueId, pageSize + 1);
    const data = rows.slice(0, pageSize).map(entryOf);
    res.json({ data, nextCursor: rows.length > pageSize ? data.at(-1)?.id : null });
  });

  app.post("/v1/queues/:queueId/entries", express.json(), (req, res) => {
    const { name, phone, serviceId } = req.body;
    const [id, issuedAt] = [randomUUID(), Date.now()];
    const { queueId } = req.params;
    const number = table.insert({ id, queueId, name, phone, serviceId, issuedAt });
    const row: EntryRow = [
      ...([id, "A", number, "WAITING", 0, serviceId, name, phone, issuedAt] as const),
      ...([null, null, null, 15 * number, number] as const),
    ];
    res.status(201).json({ data: entryWithPositionOf(row) });
  });

  return app;
}

/** What a peer is to serve, and from where. */
export interface PeerQuestion {
  readonly file: string;
  readonly queueId: string;
  readonly entries: readonly EntryWithPosition[];
}

/** Answers with the origin that it serves on. */
answerQuestions<PeerQuestion, string>(async ({ file, queueId, entries }) => {
  const table = openTable(file);
  table.fill(queueId, entries);
  return serve(bareExpress(table));
});
