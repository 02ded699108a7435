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
  id: "string",
  name: "string",
  isActive: "boolean",
  isTokenCreationPaused: "boolean",
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

const entryWithPosition = {
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
  position: "number|null",
} as const satisfies Shape;

const appointment = {
  id: "string",
  date: "string",
  slotTime: "string",
  durationMinutes: "number",
  status: "string",
  serviceId: "string|null",
  customer: customer,
} as const satisfies Shape;

/** How each operation is asked, and what its answer looks like. */
export const operations: { readonly [Id in keyof Operations]: Operation } = {
  getMe: {
    id: "getMe",
    name: "me.get",
    method: "GET",
    path: "/v1/me",
    status: 200,
    answer: { data: me },
    sendsIdempotencyKey: false,
  },
  listServices: {
    id: "listServices",
    name: "services.list",
    method: "GET",
    path: "/v1/services",
    status: 200,
    answer: { data: [service] },
    sendsIdempotencyKey: false,
  },
  listQueues: {
    id: "listQueues",
    name: "queues.list",
    method: "GET",
    path: "/v1/queues",
    status: 200,
    answer: { data: [queue] },
    sendsIdempotencyKey: false,
  },
  getQueue: {
    id: "getQueue",
    name: "queues.get",
    method: "GET",
    path: "/v1/queues/:queueId",
    status: 200,
    answer: { data: queueSummary },
    sendsIdempotencyKey: false,
  },
  listEntries: {
    id: "listEntries",
    name: "entries.list",
    method: "GET",
    path: "/v1/queues/:queueId/entries",
    status: 200,
    answer: { data: [entry], nextCursor: "string|null" },
    sendsIdempotencyKey: false,
  },
  createEntry: {
    id: "createEntry",
    name: "entries.create",
    method: "POST",
    path: "/v1/queues/:queueId/entries",
    status: 201,
    answer: { data: entryWithPosition },
    sendsIdempotencyKey: true,
  },
  getEntry: {
    id: "getEntry",
    name: "entries.get",
    method: "GET",
    path: "/v1/entries/:entryId",
    status: 200,
    answer: { data: entryWithPosition },
    sendsIdempotencyKey: false,
  },
  cancelEntry: {
    id: "cancelEntry",
    name: "entries.cancel",
    method: "POST",
    path: "/v1/entries/:entryId/cancel",
    status: 200,
    answer: { data: entry },
    sendsIdempotencyKey: false,
  },
  listAppointments: {
    id: "listAppointments",
    name: "appointments.list",
    method: "GET",
    path: "/v1/appointments",
    status: 200,
    answer: { data: [appointment], nextCursor: "string|null" },
    sendsIdempotencyKey: false,
  },
  getAppointment: {
    id: "getAppointment",
    name: "appointments.get",
    method: "GET",
    path: "/v1/appointments/:appointmentId",
    status: 200,
    answer: { data: appointment },
    sendsIdempotencyKey: false,
  },
};
