import { randomBytes } from "node:crypto";
import { addOwner } from "@queue-api/server";
import { hashSecret, newSecret } from "../../../server/src/rules/key.js";
import { newOwnerSession } from "../../../server/src/rules/owner-session.js";
import type { Clinic } from "../../support/clinic.js";
import { type BusinessSeed, wideKey } from "../../support/seed.js";
import type { Service } from "../../support/service.js";
import { busyClinic } from "./board.js";
import { signedInVisitor, type Visitor, visitorOf } from "./visitor.js";

/** A new clinic, and a visitor who is signed in as its owner. */
export async function ownedClinic(service: Service, seed: BusinessSeed = {}) {
  const clinic = await service.clinic(seed);
  return { clinic, visitor: await quicklySignedIn(service, clinic) };
}

/** The same with {@link busyClinic}, for tests that send many requests. */
export function busyDesk(service: Service, changes: BusinessSeed = {}) {
  return ownedClinic(service, { keys: [wideKey], ...busyClinic, ...changes });
}

/**
 * A visitor who is signed in as an owner of a business, or as staff. If the test can use the store, the session is added
 * there directly, because password hashing is slow.
 */
export async function quicklySignedIn(
  service: Service,
  clinic: Clinic,
  email = `owner-${crypto.randomUUID()}@clinic.example`,
  role: "owner" | "staff" = "owner",
): Promise<Visitor> {
  const { store } = service;
  if (!store) return signedInVisitor(service, clinic);
  const now = service.now();
  const context = { now, random: randomBytes };
  const { owner, token } = await addOwner(store, clinic.slug, email, context, role);
  const noHash = "no password opens this";
  await store.accounts.setPassword(hashSecret(token), noHash);
  const session = newSecret(randomBytes);
  await store.sessions.start(clinic.id, newOwnerSession(owner, hashSecret(session), now), noHash);
  const visitor = visitorOf(service);
  visitor.cookies.set("queue_api_session", session);
  await visitor.get("/dashboard/account");
  return visitor;
}
