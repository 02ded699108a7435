import { findBusiness } from "../owner/business.js";
import type { Business } from "../rules/records.js";
import type { Store } from "../store/store.js";
import { SimulationError } from "./simulation-error.js";

/**
 * The business with a slug, if it is a sandbox: a simulation serves whoever is there, so no real customer
 * may be.
 *
 * @throws OwnerError There is no such business.
 * @throws SimulationError It is not a sandbox.
 */
export async function findSandbox(store: Store, slug: string): Promise<Business> {
  const business = await findBusiness(store, slug);
  if (business.sandbox) return business;
  throw new SimulationError(
    `this business is not a sandbox, and a simulation calls and serves whoever is in its queues; if nobody real is in them, make it one with: queue-api business set ${slug} --sandbox on`,
  );
}
