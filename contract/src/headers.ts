import { z } from "zod";
import type { ErrorCode } from "./errors.js";

/** A response header: its content, and when it is present. */
export interface ResponseHeader {
  /** Whether some responses lack this header. Default: it is always present. */
  readonly optional?: boolean;
  readonly schema: z.ZodType;
  readonly description: string;
  readonly example: string | number;
}

/** The spelling of request headers, by their names in lower case. */
export const headerSpelling: Readonly<Record<string, string>> = {
  "idempotency-key": "Idempotency-Key",
};

const seconds = z.int().min(0);

/** Headers of every response, including errors. */
export const commonHeaders = {
  "X-Request-Id": {
    schema: z.uuid(),
    description: "Identifies the request in logs and in support requests.",
    example: "0d5b8b0e-6a55-4b4c-9a51-8f7a5f0d8c11",
  },
  "API-Version": {
    schema: z.literal("v1"),
    description: "Major version of the API.",
    example: "v1",
  },
  "RateLimit-Limit": {
    schema: z.int().min(0),
    description:
      "Limit of the window with the fewest requests left. Without a valid key: the number of failed sign-ins that the address may make.",
    example: 120,
  },
  "RateLimit-Remaining": {
    schema: z.int().min(0),
    description: "Number of requests left in that window.",
    example: 119,
  },
  "RateLimit-Reset": {
    schema: seconds,
    description: "Seconds until that window resets.",
    example: 60,
  },
  "RateLimit-Policy": {
    schema: z.string(),
    description:
      'All windows of the caller, separated by commas, each with its quota `q` and its length `w` in seconds. The first is the window that the other `RateLimit` headers report. `"requests"` counts all requests of the key, and `"writes"` its `POST` requests. Without a valid key, `"sign-ins"` counts failed sign-ins.',
    example: '"requests";q=120;w=60, "writes";q=30;w=60',
  },
  "Cache-Control": {
    schema: z.literal("no-store"),
    description: "Responses must not be cached.",
    example: "no-store",
  },
} as const satisfies Record<string, ResponseHeader>;

/** Headers of a successful creation. */
export const creationHeaders = {
  Location: {
    schema: z.url(),
    description: "URL of the new entry. A replay has the same URL.",
    example: "https://queue.example/v1/entries/01K2Q7M8Zb4nT6wXc9RvYd3F",
  },
  "Idempotent-Replay": {
    schema: z.literal("true"),
    description:
      "`true` if this is the stored response to an earlier request with the same key and body; absent on the first response.",
    example: "true",
  },
} as const satisfies Record<string, ResponseHeader>;

const retryAfter: ResponseHeader = {
  schema: seconds,
  description: "Seconds to wait before the next request.",
  example: 30,
};

/** The only value of `WWW-Authenticate`, the same on every 401. */
export const challenge = 'Bearer realm="queue-api"';

/** Headers that only certain errors have. */
export const errorHeaders: Partial<Record<ErrorCode, Record<string, ResponseHeader>>> = {
  unauthorized: {
    "WWW-Authenticate": {
      schema: z.literal(challenge),
      description: "How to authenticate.",
      example: challenge,
    },
  },
  request_in_progress: { "Retry-After": retryAfter },
  rate_limited: { "Retry-After": retryAfter },
  too_many_failed_attempts: { "Retry-After": retryAfter },
  internal_error: { "Retry-After": { ...retryAfter, optional: true } },
};
