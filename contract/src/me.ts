import { z } from "zod";
import { id, timestamp } from "./formats.js";
import { limits } from "./limits.js";

/** The permissions that a key can have. */
export const scopes = ["queue:read", "queue:write", "appointments:read"] as const;

export const scope = z.enum(scopes).meta({
  id: "Scope",
  description:
    "What a key may do: read queues, entries and services; create and cancel entries; read appointments.",
});

const business = z
  .object({
    name: z.string().meta({ description: "Name of the business." }),
    slug: z.string().meta({ description: "Its short name." }),
    category: z
      .string()
      .nullable()
      .meta({ description: "What kind of business it is; null when unsaid." }),
    timezone: z.string().nullable().meta({
      description: "IANA time zone name; dates and times of day use it. null means UTC.",
    }),
  })
  .meta({ id: "Business", description: "The business that the key belongs to." });

const apiKey = z
  .object({
    id,
    name: z.string().meta({ description: "Name that the owner gave the key." }),
    scopes: z.array(scope).meta({ description: "What the key may do." }),
    expiresAt: timestamp
      .nullable()
      .meta({ description: "When the key stops working, ISO 8601 in UTC; null for never." }),
  })
  .meta({ id: "ApiKey", description: "The key that asks." });

const keyLimits = z
  .object({
    requestsPerMinute: z
      .int()
      .meta({ description: `Requests in one window of ${limits.keyWindowSeconds} seconds.` }),
    writesPerMinute: z
      .int()
      .meta({ description: "POST requests in the same time; each counts as a request too." }),
    maxBodyBytes: z.int().meta({ description: "Bytes of the largest request body." }),
  })
  .meta({ id: "KeyLimits", description: "How much the key may ask for." });

/** The API key of the request, its business and its limits. */
export const me = z.object({ business, key: apiKey, limits: keyLimits }).meta({
  id: "Me",
  description: "The key that asks, its business and its limits.",
  examples: [
    {
      business: {
        name: "Sunrise Clinic",
        slug: "sunrise",
        category: "clinic",
        timezone: "Asia/Kolkata",
      },
      key: {
        id: "01K2Q7M8Vc5vB7nM9aSdFg1H",
        name: "Kiosk",
        scopes: ["queue:read", "queue:write"],
        expiresAt: "2027-02-19T04:30:00.000Z",
      },
      limits: {
        requestsPerMinute: limits.requestsPerMinute,
        writesPerMinute: limits.writesPerMinute,
        maxBodyBytes: limits.maxBodyBytes,
      },
    },
  ],
});

export type Scope = z.infer<typeof scope>;
export type Me = z.infer<typeof me>;
