import { randomUUID } from "node:crypto";
import express, { type Express } from "express";
import type { EntryCollection } from "./entry-collection.js";

const pageSize = 50;

/**
 * What one writes with Express 5 and MongoDB's driver in an afternoon: no keys, windows, checks or
 * audit, one command a request, and Express as it comes. It sends the JSON that our service sends.
 */
export function bareExpressOnMongo(entries: EntryCollection): Express {
  const app = express();
  let number = 0;

  app.get("/v1/entries/:entryId", async (req, res) => {
    const data = await entries.find(req.params.entryId);
    if (data) res.json({ data });
    else res.sendStatus(404);
  });

  app.get("/v1/queues/:queueId/entries", async (req, res) => {
    const found = await entries.page(req.params.queueId, pageSize + 1);
    const data = found.slice(0, pageSize);
    res.json({ data, nextCursor: found.length > pageSize ? data.at(-1)?.id : null });
  });

  app.post("/v1/queues/:queueId/entries", express.json(), async (req, res) => {
    const { name, phone, serviceId = null } = req.body;
    const tokenNumber = ++number;
    const data = {
      ...{ id: randomUUID(), token: `A${tokenNumber}`, tokenSeries: "A", tokenNumber },
      ...{ status: "WAITING" as const, priority: false, serviceId, customer: { name, phone } },
      ...{ issuedAt: new Date().toISOString(), startedAt: null, completedAt: null },
      ...{ canceledAt: null, predictedWaitMinutes: null, position: tokenNumber },
    };
    await entries.insert(req.params.queueId, data);
    res.status(201).json({ data });
  });

  return app;
}
