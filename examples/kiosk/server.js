import { fileURLToPath } from "node:url";
import { QueueApi } from "@queue-api/sdk";
import express from "express";
import { answerFailure } from "./failures.js";

if (!process.env.QUEUE_API_KEY) {
  console.error("Set QUEUE_API_KEY to an API key: `npm start` in the repository prints one.");
  process.exit(1);
}

const api = new QueueApi({ baseUrl: process.env.QUEUE_API_BASE_URL ?? "http://127.0.0.1:3000" });
const queueId = process.env.QUEUE_ID ?? (await firstOpenQueue());

const app = express();
app.disable("x-powered-by");
app.use(express.static(fileURLToPath(new URL("public", import.meta.url))));
app.use(express.json({ limit: "4kb" }));

/** Takes a token. The page sends the same order number with each attempt of one order. */
app.post("/tokens", async (req, res) => {
  const { order, name, phone } = req.body ?? {};
  const entry = await api.entries.create(queueId, { name, phone }, { idempotencyKey: order });
  res.status(201).json(shown(entry));
});

app.get("/tokens/:id", async (req, res) => {
  res.json(shown(await api.entries.get(req.params.id)));
});

app.use(answerFailure);

const server = app.listen(Number(process.env.PORT ?? 4000), "127.0.0.1", (error) => {
  if (error) throw error;
  console.log(`the kiosk is at http://127.0.0.1:${server.address().port}`);
});

/** What the page needs, and nothing of the customer. */
function shown({ id, token, status, position, predictedWaitMinutes }) {
  return { id, token, status, position, predictedWaitMinutes };
}

async function firstOpenQueue() {
  const queues = await api.queues.list();
  const open = queues.find(
    ({ isActive, isTokenCreationPaused }) => isActive && !isTokenCreationPaused,
  );
  if (!open) throw new Error("no queue takes tokens at the moment");
  return open.id;
}
