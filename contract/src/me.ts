import { z } from "zod";
import { id, timestamp } from "./formats.js";
import { limits } from "./limits.js";

/** The permissions that a key can have. */
export const scopes = ["queue:read", "queue:write", "appointments:read"] as const;

export const scope = z.enum(scopes).meta({
  id: "Scope",
  description:
    "A permission of a key. `queue:read` reads queues, entries and services; `queue:write` creates and cancels entries; `appointments:read` reads appointments.",
});

const business = z
  .object({
    name: z.string().describe("Name of the business."),
    slug: z.string().describe("Short name of the business."),
    category: z.string().nullable().describe("Kind of business; null if not given."),
    timezone: z
      .string()
      .nullable()
      .describe("IANA name of the time zone for dates and times of day; null means UTC."),
  })
  .meta({ id: "Business", description: "The business that the key belongs to." });

const apiKey = z
  .object({
    id,
    name: z.string().describe("Name that the owner gave to the key."),
    scopes: z.array(scope).describe("Permissions of the key."),
    expiresAt: timestamp
      .nullable()
      .describe("Time at which the key expires, ISO 8601 in UTC; null if it does not expire."),
  })
  .meta({ id: "ApiKey", description: "The API key of the request." });

const keyLimits = z
  .object({
    requestsPerMinute: z
      .int()
      .describe(`Maximum number of requests in a window of ${limits.keyWindowSeconds} seconds.`),
    writesPerMinute: z
      .int()
      .describe(
        "Maximum number of `POST` requests in the same time. Each also counts as a request.",
      ),
    maxBodyBytes: z.int().describe("Maximum size of a request body in bytes."),
  })
  .meta({ id: "KeyLimits", description: "Limits of the key." });

/** The API key of the request, its business and its limits. */
export const me = z.object({ business, key: apiKey, limits: keyLimits }).meta({
  id: "Me",
  description: "The API key of the request, its business and its limits.",
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
