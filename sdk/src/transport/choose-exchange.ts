import type { Agent } from "node:http";
import { QueueApiError } from "../errors.js";
import type { Exchange } from "./exchange.js";
import { fetchExchange } from "./fetch-exchange.js";
import { type NodeClient, nodeExchange } from "./node-exchange.js";

/** What a program hands in to send requests with. */
export interface Means {
  readonly fetch?: typeof globalThis.fetch | undefined;
  readonly agent?: unknown;
}

/**
 * What requests to an origin are sent with: a `fetch` that was handed in; Node's HTTP client where an
 * agent was handed in, and where the global `fetch` is Node's own, which costs several times as much; the
 * global `fetch` everywhere else. So a test that replaces the global `fetch` is heard.
 *
 * @throws {QueueApiError} An agent is given where there is no HTTP client of Node to use it.
 */
export function chooseExchange(origin: string, { fetch, agent }: Means): Exchange {
  if (fetch) return fetchExchange(origin, fetch);
  const overFetch = fetchExchange(origin, (url, init) => globalThis.fetch(url, init));
  const client = nodeClient(origin);
  if (!client) {
    if (agent === undefined) return overFetch;
    throw new QueueApiError("The option agent needs Node; elsewhere hand in a fetch.");
  }
  const overNode = nodeExchange(origin, client, agent as Agent | undefined);
  if (agent !== undefined) return overNode;
  return (request, onStop) => (isFetchOfNode() ? overNode : overFetch)(request, onStop);
}

interface Surroundings {
  readonly process?: { readonly getBuiltinModule?: (id: string) => unknown };
}

/** Taken at run time: a static import would break bundles for other platforms. */
function nodeClient(origin: string): NodeClient | null {
  const { process } = globalThis as Surroundings;
  const client = process?.getBuiltinModule?.(
    origin.startsWith("https:") ? "node:https" : "node:http",
  );
  return (client as NodeClient | undefined) ?? null;
}

let knownFetch: unknown;
let knownIsOfNode = false;

/** Whether the global `fetch` is Node's, which only its source tells. Anything else is called as it is. */
function isFetchOfNode(): boolean {
  const { fetch } = globalThis;
  if (fetch !== knownFetch) {
    knownFetch = fetch;
    knownIsOfNode = typeof fetch === "function" && String(fetch).includes("internal/deps/undici");
  }
  return knownIsOfNode;
}
