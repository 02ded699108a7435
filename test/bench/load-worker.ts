import autocannon from "autocannon";
import { answerQuestions } from "./worker.js";

/** A key, and what it sends in turn. Each caller has one connection or more. */
export interface Caller {
  readonly key: string;
  readonly paths: readonly string[];
}

/** The requests that put a server under load. */
export interface Load {
  readonly origin: string;
  readonly callers: readonly Caller[];
  readonly connections: number;
  /** The body of POST requests; null for GET requests. */
  readonly body: string | null;
  /** `fresh`: a new one for each request. Null: none. */
  readonly idempotencyKey: string | null;
  /** The status of every response. Another one is an error. Null: any. */
  readonly status: number | null;
  /** Ends after this many requests. Default: after a time. */
  readonly amount?: number;
  readonly milliseconds: number;
}

export interface Slice {
  readonly answers: number;
  readonly milliseconds: number;
  /** Share of the time in which the load generator itself was busy, 0 to 1. */
  readonly busy: number;
}

answerQuestions<Load, Slice>(async (load) => {
  const { origin, callers, connections, body, idempotencyKey, status, amount } = load;
  const before = performance.eventLoopUtilization();
  let opened = 0;
  const result = await autocannon({
    url: origin,
    connections,
    ...(amount === undefined ? { duration: load.milliseconds / 1000 } : { amount }),
    sampleInt: 10,
    idReplacement: idempotencyKey === "fresh",
    setupClient(client) {
      const { key, paths } = callers[opened++ % callers.length] as Caller;
      const headers = {
        authorization: `Bearer ${key}`,
        ...(body !== null && { "content-type": "application/json" }),
        ...(idempotencyKey && {
          "idempotency-key": idempotencyKey === "fresh" ? "bench-[<id>]" : idempotencyKey,
        }),
      };
      const method = body === null ? "GET" : "POST";
      client.setRequests(paths.map((path) => ({ method, path, headers, body: body ?? "" })));
    },
  });
  const statuses = Object.entries(result.statusCodeStats ?? {});
  const count = (few: typeof statuses) => few.reduce((sum, [, { count = 0 }]) => sum + count, 0);
  const all = count(statuses);
  const answers = count(statuses.filter(([found]) => status === null || found === `${status}`));
  if (answers < all || result.errors > 0) {
    const found = JSON.stringify(statuses);
    throw new Error(`not every answer was ${status}: ${found}, ${result.errors} errors`);
  }
  const { utilization: busy } = performance.eventLoopUtilization(before);
  return { answers, milliseconds: result.duration * 1000, busy };
});
