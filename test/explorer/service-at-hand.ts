import { randomBytes } from "node:crypto";
import { readConfig, type Store } from "@queue-api/server";
import { buildService } from "../../server/dist/service.js";
import { sendInMemory } from "../../testkit/src/in-memory.js";

/** A response of the service. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly replayed: boolean;
}

/** A client of a service in this process: the whole pipeline, without a port. */
export interface ServiceAtHand {
  get(path: string): Promise<Answer>;
  post(path: string, body?: unknown, idempotencyKey?: string): Promise<Answer>;
  close(): Promise<void>;
}

/** The service on a store, called with this API key. */
export function serviceAtHand(store: Store, apiKey: string): ServiceAtHand {
  const config = { ...readConfig({}), checkAnswers: true };
  const baseUrl = () => "http://127.0.0.1";
  const service = buildService({ store, config, random: randomBytes }, { baseUrl });
  const never = new AbortController().signal;

  async function send(
    method: string,
    target: string,
    headers: readonly string[],
    body: Buffer | null,
  ): Promise<Answer> {
    const common = ["host", "127.0.0.1", "authorization", `Bearer ${apiKey}`];
    const length = method === "GET" ? [] : ["content-length", `${body?.length ?? 0}`];
    const request = { method, target, headers: [...common, ...headers, ...length], body };
    const options = { signal: never, onConnection: () => {} };
    const answer = await sendInMemory(service.server, request, options);
    const replayed = answer.headers.some(([name]) => name.toLowerCase() === "idempotent-replay");
    return { status: answer.status, text: answer.body.toString(), replayed };
  }

  return {
    get: (path) => send("GET", path, [], null),
    post: (path, body, idempotencyKey) =>
      send(
        "POST",
        path,
        [
          ...(body === undefined ? [] : ["content-type", "application/json"]),
          ...(idempotencyKey === undefined ? [] : ["idempotency-key", idempotencyKey]),
        ],
        body === undefined ? null : Buffer.from(JSON.stringify(body)),
      ),
    close: () => service.endStop(),
  };
}
