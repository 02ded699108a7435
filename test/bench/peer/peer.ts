import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { EntryWithPosition } from "@queue-api/contract";
import { answerQuestions } from "../worker.js";
import { bareExpress } from "./bare-express.js";
import { openTable } from "./entry-table.js";

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
  const server = bareExpress(table).listen(0, "127.0.0.1");
  server.keepAliveTimeout = 65_000; // as ours, so that connections outlast the other side's turn
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
