import { z } from "zod";
import { id, timestamp } from "./formats.js";

/** What a key may be allowed to do. */
export const scopes = ["queue:read", "queue:write", "appointments:read"] as const;

export const scope = z.enum(scopes);

/** The key that asks, its business and its limits. */
export const me = z
  .object({
    business: z.object({
      name: z.string(),
      slug: z.string(),
      category: z.string().nullable(),
      timezone: z.string().nullable().meta({ description: "IANA time zone name." }),
    }),
    key: z.object({
      id,
      name: z.string(),
      scopes: z.array(scope),
      expiresAt: timestamp.nullable(),
    }),
    limits: z.object({
      requestsPerMinute: z.int(),
      writesPerMinute: z.int(),
      maxBodyBytes: z.int(),
    }),
  })
  .meta({
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
        limits: { requestsPerMinute: 120, writesPerMinute: 30, maxBodyBytes: 32768 },
      },
    ],
  });

export type Scope = z.infer<typeof scope>;
export type Me = z.infer<typeof me>;
