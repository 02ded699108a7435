import type * as Http from "node:http";
import type * as Https from "node:https";

/** Node's HTTP client, for one of the two protocols. */
export type NodeClient = typeof Http | typeof Https;

interface Surroundings {
  readonly process?: { readonly getBuiltinModule?: (id: string) => unknown };
}

/** Null where there is no Node. Taken at run time: an import would break bundles for browsers. */
export function nodeClient(name: "node:http" | "node:https"): NodeClient | null {
  const { process } = globalThis as Surroundings;
  return (process?.getBuiltinModule?.(name) as NodeClient | undefined) ?? null;
}

/** The proxies of the environment, where Node was told to use them (NODE_USE_ENV_PROXY). */
export function proxiesOf({ globalAgent }: NodeClient): unknown {
  return (globalAgent as { options?: { proxyEnv?: unknown } }).options?.proxyEnv;
}
