import { customerName, limits, scopes } from "@queue-api/contract";
import { z } from "zod";
import { allowlistFault } from "../rules/address.js";
import { wholeNumber } from "./whole-number.js";

/** Far above any real use. The limit detects typing errors. */
const mostPerMinute = 1_000_000;

/** Far above any real use. Each request compares its address with all of them. */
const mostAddresses = 200;

const allowIps = z
  .array(
    z.string().refine((item) => allowlistFault(item) === null, {
      error: ({ input }) => allowlistFault(String(input)) ?? undefined,
    }),
  )
  .max(mostAddresses, `must be at most ${mostAddresses} addresses and ranges`);

const perMinute = wholeNumber(1, mostPerMinute);

/** The fields of a new key, on the command line and in a seed file. */
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

/** The input of a new key. Fields with a default are optional. */
export type KeyOptions = z.input<typeof keyOptions>;

/** The changes to a key. An absent field stays as it is. */
export const keyChanges = z.strictObject({
  name: keyOptions.shape.name.exactOptional(),
  allowIps: allowIps.exactOptional(),
  requestsPerMinute: perMinute.exactOptional(),
  writesPerMinute: perMinute.exactOptional(),
});
