import type { EntryWithPosition } from "@queue-api/contract";
import { answerQuestions } from "../worker.js";
import { bareExpress } from "./bare-express.js";
import { openTable } from "./entry-table.js";
import { serve } from "./serve.js";

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
