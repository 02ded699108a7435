import { randomUUID } from "node:crypto";
import express, { type Express } from "express";
import { type EntryRow, entryOf, entryWithPositionOf } from "./entry-row.js";
import type { EntryTable } from "./entry-table.js";

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
