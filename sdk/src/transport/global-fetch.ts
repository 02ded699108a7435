import { nodeClient, proxiesOf } from "./node-client.js";

/** Whether the global `fetch` is Node's own, and would connect in the same way as Node's HTTP client. */
export function isPlainFetchOfNode(): boolean {
  return isFetchOfNode() && !isRedirected();
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

/** Where undici keeps what `setGlobalDispatcher` was told; Node's own `fetch` asks there too. */
const newer = Symbol.for("undici.globalDispatcher.2");
const older = Symbol.for("undici.globalDispatcher.1");

/** What Node puts there by itself: the one that connects, and newer ones a cover for it under the older name. */
const plainDispatchers = ["Agent", "Dispatcher1Wrapper"];

/** Whether `fetch` goes by a proxy or a mock that Node's HTTP client does not know. */
function isRedirected(): boolean {
  const known = globalThis as Readonly<Record<symbol, object | undefined>>;
  return leadsElsewhere(known[newer]) || leadsElsewhere(known[older]);
}

function leadsElsewhere(dispatcher: object | undefined): boolean {
  if (!dispatcher) return false;
  const { name } = dispatcher.constructor;
  if (plainDispatchers.includes(name)) return false;
  return name !== "EnvHttpProxyAgent" || !knowsProxies();
}

function knowsProxies(): boolean {
  const client = nodeClient("node:http");
  return client !== null && proxiesOf(client) !== undefined;
}
