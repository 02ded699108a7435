import type { Caller, LoadSpec } from "../load/load-spec.js";
import type { Tenant } from "../stage.js";

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

/** Creates entries in a queue. */
export function creating({ origin, key, services }: Tenant, queueId: string): LoadSpec {
  const { consultation: serviceId } = services;
  return {
    ...creatingBy(origin, [{ key, paths: [`/v1/queues/${queueId}/entries`] }]),
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
