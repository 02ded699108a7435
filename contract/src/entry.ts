import { z } from "zod";
import { customer } from "./customer.js";
import { customerName, id, oneOf, phone, timestamp } from "./formats.js";

/** Statuses of an entry. The document spells CANCELED with one L here and with two for appointments. */
export const entryStatuses = ["WAITING", "IN_SERVICE", "COMPLETED", "CANCELED", "NO_SHOW"] as const;

export const entryStatus = oneOf(entryStatuses).meta({
  id: "EntryStatus",
  description: "Status of an entry. `CANCELED` is spelled with one L here.",
});

const waiting = {
  id: "01K2Q7M8Zb4nT6wXc9RvYd3F",
  token: "A12",
  tokenSeries: "A",
  tokenNumber: 12,
  status: "WAITING" as const,
  priority: false,
  serviceId: "01K2Q7M8Yf6hJ8kLm2PqRs4T",
  customer: { name: "Customer 1", phone: "919800000001" },
  issuedAt: "2026-11-21T04:30:00.000Z",
  startedAt: null,
  completedAt: null,
  canceledAt: null,
  predictedWaitMinutes: 30,
};

/** Example entries: one waiting, one canceled. */
export const entryExamples = {
  waiting,
  canceled: {
    ...waiting,
    status: "CANCELED" as const,
    canceledAt: "2026-11-21T04:42:00.000Z",
    predictedWaitMinutes: null,
  },
};

/** A queue token. All fields are always present. */
export const entry = z
  .object({
    id,
    token: z
      .string()
      .meta({ description: "Label of the token, as the customer sees it.", examples: ["A12"] }),
    tokenSeries: z.string().describe("Letters at the start of the queue's labels."),
    tokenNumber: z
      .int()
      .describe(
        "Number of the token. Starts at 1 each business day. The service may skip a number, but never uses one twice.",
      ),
    status: entryStatus,
    priority: z.boolean().describe("Whether the entry is served before entries without priority."),
    serviceId: id
      .nullable()
      .describe("Service that the customer comes for; null if none was given."),
    customer,
    issuedAt: timestamp.describe("Time at which the token was created, ISO 8601 in UTC."),
    startedAt: timestamp
      .nullable()
      .describe("Time at which service started, ISO 8601 in UTC; null before that."),
    completedAt: timestamp
      .nullable()
      .describe("Time at which service ended, ISO 8601 in UTC; null before that."),
    canceledAt: timestamp
      .nullable()
      .describe(
        "Time at which the entry was canceled, ISO 8601 in UTC; null if it was not canceled.",
      ),
    predictedWaitMinutes: z
      .int()
      .nullable()
      .describe("Estimated minutes until service starts; null if unknown."),
  })
  .meta({ id: "Entry", description: "A queue token.", examples: [entryExamples.waiting] });

/** An entry and its place in the line. */
export const entryWithPosition = entry
  .extend({
    position: z
      .int()
      .nullable()
      .describe("Place in the line: 1 is next. Null unless `status` is `WAITING`."),
  })
  .meta({
    id: "EntryWithPosition",
    description: "A queue token and its place in the line.",
    examples: [{ ...entryExamples.waiting, position: 3 }],
  });

const serviceId = id.meta({
  description: "Service that the customer comes for. It must be an active service of the business.",
  examples: [waiting.serviceId],
});

/** Body of a creation. Unknown fields are refused. */
export const createEntryRequest = z
  .strictObject({ name: customerName, phone, serviceId: serviceId.optional() })
  .meta({
    id: "CreateEntryRequest",
    description: "The customer and the service of a new token.",
    examples: [{ name: "Customer 1", phone: "+91 98000 00001", serviceId: waiting.serviceId }],
  });

export type EntryStatus = z.infer<typeof entryStatus>;
export type Entry = z.infer<typeof entry>;
export type EntryWithPosition = z.infer<typeof entryWithPosition>;
export type CreateEntryRequest = z.infer<typeof createEntryRequest>;
