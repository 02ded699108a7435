import type { Race } from "./compare.js";
import type { Stage, Tenant } from "./stage.js";

/** A caller, which sends requests. */
export interface Caller {
  readonly key: string;
  /** Taken in turn. */
  readonly paths: readonly string[];
}

/** The load on a server: a number of connections, each with one pending request at any time. */
export interface LoadSpec {
  /** For example `http://127.0.0.1:3000`. Of several instances each has its share of the connections. */
  readonly origins: readonly string[];
  readonly method: "GET" | "POST";
  /** Each connection belongs to one of them. */
  readonly callers: readonly Caller[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Whether each request has its own Idempotency-Key. */
  readonly idempotencyKeys: boolean;
  /** The required status of every response. */
  readonly status: number;
  /**
   * The number of created entries after which they are canceled, outside the measured time, so that the line
   * keeps its length. Null: never.
   */
  readonly cancelEvery: number | null;
  /** Whether each run takes the next path, and not each request: a queue gives 10,000 tokens a day. Default: no. */
  readonly pathEachRun?: boolean;
  /** The number of requests after which a run ends early. Default: none. */
  readonly most?: number;
}

/** The number of connections to a server, or to several instances together. */
export const connections = 32;

/** Reads these paths in turn. A peer receives the same requests as our service. */
export function reading({ origin, key }: Tenant, paths: readonly string[]): LoadSpec {
  return readingBy(origin, [{ key, paths }]);
}

/** Several callers, each of which reads its own paths. */
export function readingBy(origin: string, callers: readonly Caller[]): LoadSpec {
  return {
    origins: [origin],
    method: "GET",
    callers,
    headers: {},
    body: null,
    idempotencyKeys: false,
    status: 200,
    cancelEvery: null,
  };
}

/** Creates entries in these queues in turn. */
export function creating({ origin, key, services }: Tenant, queueIds: readonly string[]): LoadSpec {
  const { consultation: serviceId } = services;
  const paths = queueIds.map((id) => `/v1/queues/${id}/entries`);
  return {
    ...creatingBy(origin, [{ key, paths }]),
    body: JSON.stringify({ ...customer, serviceId }),
  };
}

const customer = { name: "Kiran Bose", phone: "+91 98000 00099" };

/** Several callers, each of which creates entries in its own queue. */
export function creatingBy(origin: string, callers: readonly Caller[]): LoadSpec {
  return {
    origins: [origin],
    method: "POST",
    callers,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(customer),
    idempotencyKeys: true,
    status: 201,
    cancelEvery: null,
  };
}

/** The same load on our service and on a peer. */
export async function beside(
  stage: Stage,
  peer: string,
  load: LoadSpec,
): ReturnType<Race["sides"]> {
  return { ours: await stage.load(load), theirs: await stage.load({ ...load, origins: [peer] }) };
}
