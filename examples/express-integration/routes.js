import { Router } from "express";

/** The application's routes about waiting, in the application's own words. */
export function waitingRoutes(queueApi) {
  const router = Router();

  router.get("/lines", async (_req, res) => {
    const queues = await queueApi.queues.list({ signal: gone(res) });
    res.json(queues.filter(({ isActive }) => isActive).map(({ id, name }) => ({ id, name })));
  });

  /** `Visit-Id` is the application's own number of the visit, any text; it makes the ticket unique. */
  router.post("/lines/:line/tickets", async (req, res) => {
    const { name, phone } = req.body ?? {};
    const visit = req.get("Visit-Id");
    const options = { idempotencyKey: visit ? { from: visit } : undefined, signal: gone(res) };
    const entry = await queueApi.entries.create(req.params.line, { name, phone }, options);
    res.status(201).location(`/tickets/${entry.id}`).json(ticket(entry));
  });

  router.get("/tickets/:ticket", async (req, res) => {
    res.json(ticket(await queueApi.entries.get(req.params.ticket, { signal: gone(res) })));
  });

  router.delete("/tickets/:ticket", async (req, res) => {
    await queueApi.entries.cancel(req.params.ticket, { signal: gone(res) });
    res.sendStatus(204);
  });

  return router;
}

function ticket({ token, status, position }) {
  return {
    label: token,
    state: status.toLowerCase(),
    ahead: position === null ? null : position - 1,
  };
}

/** A signal that fires when the caller is gone before there is an answer. */
function gone(res) {
  const controller = new AbortController();
  res.on("close", () => {
    if (!res.writableFinished) controller.abort();
  });
  return controller.signal;
}
