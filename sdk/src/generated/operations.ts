// Made from the contract by `npm run generate --workspace sdk`; not to be edited.

import type { Operation, Shape } from "../operation.js";
import type { Operations } from "./types.js";

const business = {
  name: "string",
  slug: "string",
  category: "string|null",
  timezone: "string|null",
} as const satisfies Shape;

const apiKey = {
  id: "string",
  name: "string",
  scopes: ["string"],
  expiresAt: "string|null",
} as const satisfies Shape;

const keyLimits = {
  requestsPerMinute: "number",
  writesPerMinute: "number",
  maxBodyBytes: "number",
} as const satisfies Shape;

const me = { business: business, key: apiKey, limits: keyLimits } as const satisfies Shape;

const service = {
  id: "string",
  name: "string",
  price: "number|null",
  baseTimeMinutes: "number|null",
} as const satisfies Shape;

const queue = {
  id: "string",
  name: "string",
  isActive: "boolean",
  isTokenCreationPaused: "boolean",
} as const satisfies Shape;

const queueCounts = {
  waiting: "number",
  inService: "number",
  completed: "number",
  canceled: "number",
  noShow: "number",
} as const satisfies Shape;

const queueSummary = {
  ...queue,
  date: "string",
  counts: queueCounts,
  averageWaitMinutes: "number|null",
} as const satisfies Shape;

const customer = { name: "string|null", phone: "string|null" } as const satisfies Shape;

const entry = {
  id: "string",
  token: "string",
  tokenSeries: "string",
  tokenNumber: "number",
  status: "string",
  priority: "boolean",
  serviceId: "string|null",
  customer: customer,
  issuedAt: "string",
  startedAt: "string|null",
  completedAt: "string|null",
  canceledAt: "string|null",
  predictedWaitMinutes: "number|null",
} as const satisfies Shape;

const entryWithPosition = { ...entry, position: "number|null" } as const satisfies Shape;

const appointment = {
  id: "string",
  date: "string",
  slotTime: "string",
  durationMinutes: "number",
  status: "string",
  serviceId: "string|null",
  customer: customer,
} as const satisfies Shape;

/** The request and the shape of the response of each operation, by the method that sends it. */
export const operations: { readonly [Name in keyof Operations]: Omit<Operation, "name"> } = {
  "me.get": { method: "GET", path: "/v1/me", response: { data: me } },
  "services.list": { method: "GET", path: "/v1/services", response: { data: [service] } },
  "queues.list": { method: "GET", path: "/v1/queues", response: { data: [queue] } },
  "queues.get": { method: "GET", path: "/v1/queues/:queueId", response: { data: queueSummary } },
  "entries.list": {
    method: "GET",
    path: "/v1/queues/:queueId/entries",
    response: { data: [entry], nextCursor: "string|null" },
  },
  "entries.create": {
    method: "POST",
    path: "/v1/queues/:queueId/entries",
    response: { data: entryWithPosition },
    sendsIdempotencyKey: true,
  },
  "entries.get": {
    method: "GET",
    path: "/v1/entries/:entryId",
    response: { data: entryWithPosition },
  },
  "entries.cancel": {
    method: "POST",
    path: "/v1/entries/:entryId/cancel",
    response: { data: entry },
  },
  "appointments.list": {
    method: "GET",
    path: "/v1/appointments",
    response: { data: [appointment], nextCursor: "string|null" },
  },
  "appointments.get": {
    method: "GET",
    path: "/v1/appointments/:appointmentId",
    response: { data: appointment },
  },
};
