import type { Caller, LoadSpec } from "../load/load-spec.js";
import type { Tenant } from "../stage.js";

/** Reading these paths in turn. A peer is sent what our service is sent. */
export function reading({ origin, key }: Tenant, paths: readonly string[]): LoadSpec {
  return readingBy(origin, [{ key, paths }]);
}

/** Several callers, each reading what is theirs. */
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

/** Creating entries in a queue. */
export function creating({ origin, key, services }: Tenant, queueId: string): LoadSpec {
  const { consultation: serviceId } = services;
  return {
    ...creatingBy(origin, [{ key, paths: [`/v1/queues/${queueId}/entries`] }]),
    body: JSON.stringify({ ...customer, serviceId }),
  };
}

const customer = { name: "Kiran Bose", phone: "+91 98000 00099" };

/** Several callers, each creating entries in a queue of theirs. */
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
