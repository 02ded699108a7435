import { customerName, entryStatus, isCalendarDay, phone } from "@queue-api/contract";
import { z } from "zod";
import { wellFormedText } from "../lib/well-formed-text.js";
import { wholeNumber } from "../lib/whole-number.js";
import { maxQueues, maxServices } from "../operations/business-items.js";
import { isTimezone } from "../rules/timezone.js";
import { appointmentOptions } from "./appointment.js";
import { isKeptDay, keptDayMessage } from "./kept-day.js";
import { keyOptions } from "./key.js";
import { queueOptions } from "./queue.js";
import { serviceOptions } from "./services.js";

/** Names of businesses, queues and services have the same rule as names of customers. */
const name = customerName;

/** A name within the file. Other parts refer to it, and the result lists the id under it. */
const ref = customerName.optional();

const amount = wholeNumber(0, 1_000_000_000).nullable().default(null);

const relativeDay = /^today(?:[+-]\d{1,4})?$/;

/** A calendar day, or one counted from today in the business's time zone. */
const date = z
  .string()
  .refine(
    (day) => relativeDay.test(day) || (/^\d{4}-\d{2}-\d{2}$/.test(day) && isCalendarDay(day)),
    { error: "must be a day like 2026-11-21, or today, today+1, today-1", abort: true },
  )
  .refine((day) => relativeDay.test(day) || isKeptDay(day), keptDayMessage)
  .default("today");

const customer = {
  name: customerName.nullable().default(null),
  phone: phone.nullable().default(null),
};

const service = serviceOptions.extend({ ref });

const entry = z.strictObject({
  ref,
  ...customer,
  /** The `ref` of a service of the same business. */
  service: z.string().nullable().default(null),
  status: entryStatus.default("WAITING"),
  priority: z.boolean().default(false),
  date,
  /** How long ago the entry was issued; on an earlier day, counted from this time of that day. */
  minutesAgo: wholeNumber(0, 1_000_000).default(0),
});

const queue = queueOptions.extend({ ref, entries: z.array(entry).default([]) });

const appointment = z.strictObject({
  ref,
  date,
  slotTime: appointmentOptions.shape.slotTime.default("10:30"),
  durationMinutes: appointmentOptions.shape.durationMinutes.default(15),
  status: appointmentOptions.shape.status.default("CONFIRMED"),
  service: z.string().nullable().default(null),
  customer: z.strictObject(customer).default({ name: null, phone: null }),
  notes: appointmentOptions.shape.notes.default(null),
});

const key = keyOptions.extend({
  ref,
  scopes: keyOptions.shape.scopes.default(["queue:read", "queue:write"]),
  /** Overrides `days`. In a seed file only, it may be in the past. */
  expiresAt: z.iso
    .datetime({ offset: true, error: "must be a time like 2026-11-21T04:30:00Z" })
    .nullable()
    .default(null),
  revoked: z.boolean().default(false),
});

const business = z.strictObject({
  slug: z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9-]{0,62}$/,
      "must be 1 to 63 characters from a to z, 0 to 9 and -, and not begin with -",
    ),
  name,
  category: wellFormedText.nullable().default(null),
  timezone: z
    .string()
    .refine(isTimezone, "must be an IANA time zone like Asia/Kolkata")
    .nullable()
    .default(null),
  apiAccess: z.boolean().default(true),
  dailyTokenLimit: amount,
  /** Whether simulations may serve every entry in it. */
  sandbox: z.boolean().default(false),
  services: z
    .array(service)
    .max(maxServices, `must contain at most ${maxServices} services`)
    .default([]),
  queues: z.array(queue).max(maxQueues, `must contain at most ${maxQueues} queues`).default([]),
  appointments: z.array(appointment).default([]),
  keys: z.array(key).default([]),
});

/** The seed file. Only `slug` and `name` of businesses, and `name` of queues, services and keys, are required. */
export const seedFile = z.strictObject({ businesses: z.array(business) });

/** The file as a person writes it. */
export type SeedInput = z.input<typeof seedFile>;
export type SeedBusiness = z.output<typeof business>;
