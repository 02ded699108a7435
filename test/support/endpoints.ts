import type { Scope } from "@queue-api/contract";
import type { Answer } from "./answer.js";
import { type Client, customer1 } from "./client.js";
import type { Clinic } from "./clinic.js";
import type { BusinessSeed } from "./seed.js";

/** A business with a resource for every kind of id that an endpoint takes. */
export const clinicWithIds: BusinessSeed = {
  queues: [
    {
      ref: "front",
      name: "Front desk",
      entries: [{ ref: "first", name: "Customer 1", phone: "919800000001", service: "consult" }],
    },
  ],
  appointments: [
    {
      ref: "checkup",
      slotTime: "10:30",
      service: "consult",
      customer: { name: "Customer 2", phone: "919800000002" },
      notes: "kept for the business alone",
    },
  ],
};

export interface BusinessEndpoint {
  readonly method: "GET" | "POST";
  readonly template: string;
  readonly scope: Scope | null;
  readonly success: 200 | 201;
  readonly idOf: ((clinic: Clinic) => string) | null;
  readonly json?: unknown;
}

const queueId = (clinic: Clinic) => clinic.queue();
const entryId = (clinic: Clinic) => clinic.entry("first");
const appointmentId = (clinic: Clinic) => clinic.appointment("checkup");

const read = (template: string, scope: Scope | null, idOf: BusinessEndpoint["idOf"] = null) =>
  ({ method: "GET", template, scope, success: 200, idOf }) as const;

const write = (template: string, success: 200 | 201, idOf: BusinessEndpoint["idOf"]) =>
  ({ method: "POST", template, scope: "queue:write", success, idOf }) as const;

/** The ten endpoints of section 4 that need a key, for a clinic made of {@link clinicWithIds}. */
export const businessEndpoints: readonly BusinessEndpoint[] = [
  read("/v1/me", null),
  read("/v1/services", "queue:read"),
  read("/v1/queues", "queue:read"),
  read("/v1/queues/{queueId}", "queue:read", queueId),
  read("/v1/queues/{queueId}/entries", "queue:read", queueId),
  { ...write("/v1/queues/{queueId}/entries", 201, queueId), json: customer1 },
  read("/v1/entries/{entryId}", "queue:read", entryId),
  write("/v1/entries/{entryId}/cancel", 200, entryId),
  read("/v1/appointments", "appointments:read"),
  read("/v1/appointments/{appointmentId}", "appointments:read", appointmentId),
];

export const endpointsWithId = businessEndpoints.filter(({ idOf }) => idOf !== null);

/** Calls an endpoint with a valid request, with an id of the clinic or another id. */
export function call(
  { method, template, idOf, json }: BusinessEndpoint,
  client: Client,
  clinic: Clinic,
  { id = idOf?.(clinic) ?? "", query = "" }: { id?: string; query?: string } = {},
): Promise<Answer> {
  const path = template.replace(/\{\w+\}/, id) + query;
  return client.send(method, path, { ...(json !== undefined && { json }) });
}
