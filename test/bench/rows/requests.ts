import { authorization } from "../api.js";
import type { LoadSpec } from "../load/load-spec.js";
import type { Service } from "../stage.js";

/** Reading these paths in turn. A peer is sent what our service is sent. */
export function reading(service: Service, paths: readonly string[]): LoadSpec {
  return {
    origin: service.origin,
    method: "GET",
    paths,
    headers: authorization(service),
    body: null,
    idempotencyKeys: false,
    status: 200,
    cancelEvery: null,
  };
}

/** Creating entries in a queue. */
export function creating(service: Service, queueId: string): LoadSpec {
  const { consultation: serviceId } = service.services;
  return {
    origin: service.origin,
    method: "POST",
    paths: [`/v1/queues/${queueId}/entries`],
    headers: { ...authorization(service), "content-type": "application/json" },
    body: JSON.stringify({ name: "Kiran Bose", phone: "+91 98000 00099", serviceId }),
    idempotencyKeys: true,
    status: 201,
    cancelEvery: null,
  };
}
