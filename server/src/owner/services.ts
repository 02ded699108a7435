import { customerName } from "@queue-api/contract";
import { z } from "zod";
import { mostServices } from "../operations/business-items.js";
import type { Store } from "../operations/store.js";
import { newId } from "../rules/ids.js";
import type { Service } from "../rules/records.js";
import type { CreationContext } from "./creation-context.js";
import { wholeNumber } from "./validation-issues.js";

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

/** Adds a service to a business, at the end of its list. Null if it has {@link mostServices}. */
export async function addService(
  store: Store,
  businessId: string,
  options: z.output<typeof serviceOptions>,
  { now, random, id = newId(now, random) }: CreationContext,
): Promise<Service | null> {
  const service = { id, businessId, ...options, revision: 0 };
  const outcome = await store.services.add(businessId, service);
  return outcome === "too_many" ? null : service;
}
