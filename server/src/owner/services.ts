import { customerName } from "@queue-api/contract";
import { z } from "zod";
import { wholeNumber } from "../lib/whole-number.js";

/** The fields of a service, on a page and in a seed file. */
export const serviceOptions = z.strictObject({
  name: customerName,
  /** Whole currency units; null for none. */
  price: wholeNumber(0, 1_000_000_000).nullable().default(null),
  /** The usual time in minutes; null if unknown. */
  baseTimeMinutes: wholeNumber(0, 1_440).nullable().default(null),
  /** Whether tokens can be issued for the service. The API shows active services only. */
  active: z.boolean().default(true),
});
