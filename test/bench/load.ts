import autocannon from "autocannon";
import type { Side } from "./compare.js";

/** A key, and what it sends in turn. Each caller has one connection or more. */
export interface Caller {
  readonly key: string;
  readonly paths: readonly string[];
}

export interface Load {
  readonly origin: string;
  readonly callers: readonly Caller[];
  /** Default: one for each caller. */
  readonly connections?: number;
  /** The body of POST requests. Default: GET requests. */
  readonly body?: string;
  /** `[<id>]` in it is a new one for each request. Default: no header. */
  readonly idempotencyKey?: string;
  /** The status of every response, 200 by default. Another one is an error. */
  readonly status?: number;
  /** Ends after this many requests. Default: after the time of the side. */
  readonly amount?: number;
}

/** From where on this process may have been slower than what it loads. */
const busyLimit = 0.9;

/** Sends requests for a time or to their number. Returns the responses per second. */
export async function send(load: Load, milliseconds: number): Promise<number> {
  const { origin, callers, connections = callers.length, amount } = load;
  const { body, idempotencyKey, status = 200 } = load;
  const before = performance.eventLoopUtilization();
  let opened = 0;
  const result = await autocannon({
    url: origin,
    connections,
    ...(amount === undefined ? { duration: milliseconds / 1000 } : { amount }),
    sampleInt: 10, // otherwise it ends at a whole second
    idReplacement: idempotencyKey?.includes("[<id>]") ?? false,
    setupClient(client) {
      const { key, paths } = callers[opened++ % callers.length] as Caller;
      const headers = {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
      };
      const method = body === undefined ? "GET" : "POST";
      client.setRequests(paths.map((path) => ({ method, path, headers, body: body ?? "" })));
    },
  });
  const statuses = Object.keys(result.statusCodeStats ?? {});
  if (statuses.some((found) => found !== `${status}`) || result.errors > 0) {
    const found = JSON.stringify(result.statusCodeStats);
    throw new Error(`not every response was ${status}: ${found}, ${result.errors} errors`);
  }
  const { utilization } = performance.eventLoopUtilization(before);
  if (utilization > busyLimit) console.error("the load generator may be the limit");
  return result.requests.total / result.duration;
}

/** A side that is a server under load. The callers may differ in each round. */
export function loading(
  load: Omit<Load, "callers">,
  callers: readonly Caller[] | ((round: number) => readonly Caller[]),
): Side {
  return (milliseconds, round) => {
    const ofRound = typeof callers === "function" ? callers(round) : callers;
    return send({ ...load, callers: ofRound }, milliseconds);
  };
}
