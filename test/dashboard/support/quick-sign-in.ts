import { type BusinessSeed, wideKey } from "../../support/seed.js";
import type { Service } from "../../support/service.js";
import { busyClinic } from "./board.js";
import { signedInVisitor } from "./visitor.js";

/** A new clinic, and a visitor who is signed in as its owner. */
export async function ownedClinic(service: Service, seed: BusinessSeed = {}) {
  const clinic = await service.clinic(seed);
  return { clinic, visitor: await signedInVisitor(service, clinic) };
}

/** The same with {@link busyClinic}, for tests that send many requests. */
export function busyDesk(service: Service, changes: BusinessSeed = {}) {
  return ownedClinic(service, { keys: [wideKey], ...busyClinic, ...changes });
}
