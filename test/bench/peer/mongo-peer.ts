import type { EntryWithPosition } from "@queue-api/contract";
import { answerQuestions } from "../worker.js";
import { bareExpressOnMongo } from "./bare-express-on-mongo.js";
import { openCollection } from "./entry-collection.js";
import { serve } from "./serve.js";

/** What a peer is to serve, and from where. */
export interface MongoPeerQuestion {
  readonly databaseUrl: string;
  readonly queues: readonly QueueOfEntries[];
}

export interface QueueOfEntries {
  readonly queueId: string;
  readonly entries: readonly EntryWithPosition[];
}

/** Answers with the origin that it serves on. */
answerQuestions<MongoPeerQuestion, string>(async ({ databaseUrl, queues }) => {
  const collection = await openCollection(databaseUrl);
  for (const { queueId, entries } of queues) await collection.fill(queueId, entries);
  return serve(bareExpressOnMongo(collection));
});
