import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { ConflictError, InvalidRequestError, QueueApi, QueueApiError } from "@queue-api/sdk";
import { JobQueue } from "./job-queue.js";

if (!process.env.QUEUE_API_KEY) {
  console.error("Set QUEUE_API_KEY to an API key: `npm start` in the repository prints one.");
  process.exit(1);
}

const api = new QueueApi({
  baseUrl: process.env.QUEUE_API_BASE_URL ?? "http://127.0.0.1:3000",
  maxRetries: 0, // the job queue repeats
});
const pauseMs = Number(process.env.RETRY_SECONDS ?? 5) * 1000;
let queueId = process.env.QUEUE_ID;

/** Takes a token for a message, and replies with it. */
async function takeToken({ id, from, name }) {
  try {
    queueId ??= (await api.queues.list()).find(takesTokens)?.id;
    if (!queueId) return reply(from, "The queue takes no tokens at the moment.");
    const options = { idempotencyKey: { from: id } };
    const entry = await api.entries.create(queueId, { name, phone: from }, options);
    reply(from, `Your token is ${entry.token}. You are number ${entry.position} in line.`);
  } catch (error) {
    if (error instanceof ConflictError) reply(from, "The queue takes no tokens at the moment.");
    else if (error instanceof InvalidRequestError) reply(from, sentenceFor(error));
    else {
      if (!isTemporary(error)) reply(from, "Something went wrong. Please ask at the desk.");
      throw error; // back to the line, or into the log
    }
  }
}

const jobs = new JobQueue(takeToken, (error) => {
  if (!isTemporary(error)) return null;
  console.error(`again later: ${error.message}`);
  return error.retryAfterMs ?? pauseMs;
});

const server = createServer(async (request, response) => {
  try {
    jobs.add(await json(request));
    response.writeHead(202).end();
  } catch {
    response.writeHead(400).end();
  }
});
server.listen(Number(process.env.PORT ?? 4100), "127.0.0.1", () => {
  console.log(`the bot is at http://127.0.0.1:${server.address().port}`);
});

function isTemporary(error) {
  return error instanceof QueueApiError && error.isRetryable;
}

/** What to send in place of what is wrong. */
function sentenceFor({ details }) {
  const isPhone = details.some(({ field }) => field === "phone");
  return isPhone ? "This phone number cannot get a token." : "Please send your name.";
}

function takesTokens({ isActive, isTokenCreationPaused }) {
  return isActive && !isTokenCreationPaused;
}

/** A real bot sends it by the chat provider's API. */
function reply(to, text) {
  console.log(`to ${to}: ${text}`);
}
