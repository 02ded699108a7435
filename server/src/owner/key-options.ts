import { customerName, limits, scopes } from "@queue-api/contract";
import { z } from "zod";
import { allowlistFault } from "../rules/address.js";
import { wholeNumber } from "./whole-number.js";

/** Far above any use, so that a slip of the finger is noticed. */
const mostPerMinute = 1_000_000;

/** Far above any use too: each request compares its address with all of them. */
const mostAddresses = 200;

const allowIps = z
  .array(
    z.string().refine((item) => allowlistFault(item) === null, {
      error: ({ input }) => allowlistFault(String(input)) ?? undefined,
    }),
  )
  .max(mostAddresses, `must be at most ${mostAddresses} addresses and ranges`);

const perMinute = wholeNumber(1, mostPerMinute);

/** What an owner says of a new key, on the command line and in a seed file alike. */
export const keyOptions = z.strictObject({
  /** Shown to the owner and by `GET /v1/me`; 1 to 120 characters. */
  name: customerName,
  /** What the key may do; at least one. */
  scopes: z
    .array(z.enum(scopes))
    .min(1, "must name at least one scope")
    .transform((named) => [...new Set(named)]),
  /** Lifetime in days. */
  days: wholeNumber(limits.keyLifetimeDays.min, limits.keyLifetimeDays.max).default(
    limits.keyLifetimeDays.default,
  ),
  /** IPv4 addresses, IPv4 ranges and exact IPv6 addresses; an empty list allows every address. */
  allowIps: allowIps.default([]),
  /** Requests in one window of a minute. */
  requestsPerMinute: perMinute.default(limits.requestsPerMinute),
  /** POST requests in one window of a minute; each counts as a request too. */
  writesPerMinute: perMinute.default(limits.writesPerMinute),
});

/** Input of a new key: what has a default may be left out. */
export type KeyOptions = z.input<typeof keyOptions>;

/** What of a key can be changed later; what is left out stays as it is. */
export const keyChanges = z.strictObject({
  name: keyOptions.shape.name.exactOptional(),
  allowIps: allowIps.exactOptional(),
  requestsPerMinute: perMinute.exactOptional(),
  writesPerMinute: perMinute.exactOptional(),
});
