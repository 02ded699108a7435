import { randomBytes } from "node:crypto";
import { addOwner } from "@queue-api/server";
import { hashSecret, newSecret } from "../../../server/src/rules/key.js";
import { newOwnerSession } from "../../../server/src/rules/owner-session.js";
import type { Clinic } from "../../support/clinic.js";
import type { Service } from "../../support/service.js";
import { signedInVisitor, type Visitor, visitorOf } from "./visitor.js";

/**
 * A visitor who is signed in as an owner of a business. If the test can use the store, the session is added
 * there directly, because password hashing is slow.
 */
export async function quicklySignedIn(
  service: Service,
  clinic: Clinic,
  email = `owner-${crypto.randomUUID()}@clinic.example`,
): Promise<Visitor> {
  const { store } = service;
  if (!store) return signedInVisitor(service, clinic);
  const now = service.now();
  const { owner, token } = await addOwner(store, clinic.slug, email, { now, random: randomBytes });
  const noHash = "no password opens this";
  await store.accounts.setPassword(hashSecret(token), noHash);
  const session = newSecret(randomBytes);
  await store.sessions.start(clinic.id, newOwnerSession(owner, hashSecret(session), now), noHash);
  const visitor = visitorOf(service);
  visitor.cookies.set("queue_api_session", session);
  await visitor.get("/dashboard/account");
  return visitor;
}
