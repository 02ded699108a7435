import { z } from "zod";
import { customer } from "./customer.js";
import { customerName, id, oneOf, phone, timestamp } from "./formats.js";

/** States of an entry. The document spells CANCELED with one L here and with two for appointments. */
export const entryStatuses = ["WAITING", "IN_SERVICE", "COMPLETED", "CANCELED", "NO_SHOW"] as const;

export const entryStatus = oneOf(entryStatuses).meta({
  id: "EntryStatus",
  description: "Where an entry stands. `CANCELED` has one L here.",
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
    token: z.string().meta({ description: "The label the customer sees.", examples: ["A12"] }),
    tokenSeries: z.string().meta({ description: "Letters of the queue's labels." }),
    tokenNumber: z.int().meta({
      description:
        "Counts from 1 each business day. A number may be skipped, and is never used twice.",
    }),
    status: entryStatus,
    priority: z
      .boolean()
      .meta({ description: "Whether the entry goes before those without priority." }),
    serviceId: id
      .nullable()
      .meta({ description: "What the customer comes for; null when no service was named." }),
    customer,
    issuedAt: timestamp.meta({ description: "When the token was created, ISO 8601 in UTC." }),
    startedAt: timestamp
      .nullable()
      .meta({ description: "When serving began, ISO 8601 in UTC; null before that." }),
    completedAt: timestamp
      .nullable()
      .meta({ description: "When serving ended, ISO 8601 in UTC; null before that." }),
    canceledAt: timestamp
      .nullable()
      .meta({ description: "When the entry was canceled, ISO 8601 in UTC; null unless it was." }),
    predictedWaitMinutes: z
      .int()
      .nullable()
      .meta({ description: "Estimated minutes until served; null when unknown." }),
  })
  .meta({ id: "Entry", description: "A queue token.", examples: [entryExamples.waiting] });

/** An entry and its place in the line. */
export const entryWithPosition = entry
  .extend({
    position: z
      .int()
      .nullable()
      .meta({ description: "1 means next; null unless status is `WAITING`." }),
  })
  .meta({
    id: "EntryWithPosition",
    description: "A queue token and its place in the line.",
    examples: [{ ...entryExamples.waiting, position: 3 }],
  });

const serviceId = id.meta({
  description: "What the customer comes for: an active service of the business.",
  examples: [waiting.serviceId],
});

/** Body of a creation. Unknown fields are refused. */
export const createEntryRequest = z
  .strictObject({ name: customerName, phone, serviceId: serviceId.optional() })
  .meta({
    id: "CreateEntryRequest",
    description: "What a new queue token is made of.",
    examples: [{ name: "Customer 1", phone: "+91 98000 00001", serviceId: waiting.serviceId }],
  });

export type EntryStatus = z.infer<typeof entryStatus>;
export type Entry = z.infer<typeof entry>;
export type EntryWithPosition = z.infer<typeof entryWithPosition>;
export type CreateEntryRequest = z.infer<typeof createEntryRequest>;
