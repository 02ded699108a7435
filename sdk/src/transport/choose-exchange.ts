import type { Agent } from "node:http";
import { QueueApiError } from "../errors.js";
import type { Exchange } from "./exchange.js";
import { fetchExchange } from "./fetch-exchange.js";
import { isPlainFetchOfNode } from "./global-fetch.js";
import { nodeClient } from "./node-client.js";
import { nodeExchange } from "./node-exchange.js";

/** What a program hands in to send requests with. */
export interface Means {
  readonly fetch?: typeof globalThis.fetch | undefined;
  readonly agent?: unknown;
}

/**
 * What requests to an origin are sent with: a `fetch` that was handed in, or Node's HTTP client with an
 * agent that was handed in. Otherwise Node's HTTP client, which costs a fraction of `fetch`, as long as the
 * global `fetch` is Node's own and sends in Node's own way. Where it does not, because this is no Node, a
 * test has replaced it, or undici was told of a proxy or a mock for the whole process, that `fetch`.
 *
 * @throws {QueueApiError} An agent is given where there is no HTTP client of Node to use it.
 */
export function chooseExchange(origin: string, { fetch, agent }: Means): Exchange {
  if (fetch) return fetchExchange(origin, fetch);
  if (agent !== undefined) {
    const overAgent = overNode(origin, agent as Agent);
    if (overAgent) return overAgent;
    throw new QueueApiError("The option agent needs Node; elsewhere hand in a fetch.");
  }
  const overFetch = fetchExchange(origin, (url, init) => globalThis.fetch(url, init));
  let usual: Exchange | undefined; // made at the first call, which loads Node's HTTP client
  return (request, onStop) => {
    if (!isPlainFetchOfNode()) return overFetch(request, onStop);
    usual ??= overNode(origin) ?? overFetch;
    return usual(request, onStop);
  };
}

/** Null where there is no Node. */
function overNode(origin: string, agent?: Agent): Exchange | null {
  const client = nodeClient(origin.startsWith("https:") ? "node:https" : "node:http");
  return client && nodeExchange(origin, client, agent);
}
