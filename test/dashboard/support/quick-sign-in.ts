import { randomBytes } from "node:crypto";
import { addAccount, type Store } from "@queue-api/server";
import { newAccountSession } from "../../../server/src/rules/account-session.js";
import { hashSecret, newSecret } from "../../../server/src/rules/key.js";
import type { Account } from "../../../server/src/rules/records.js";
import type { Clinic } from "../../support/clinic.js";
import { type BusinessSeed, wideKey } from "../../support/seed.js";
import type { Service } from "../../support/service.js";
import { busyClinic } from "./board.js";
import { type Visitor, visitorOf } from "./visitor.js";

/** A new clinic, and a visitor who is signed in as its owner. */
export async function ownedClinic(service: Service, seed: BusinessSeed = {}) {
  const clinic = await service.clinic(seed);
  return { clinic, visitor: await quicklySignedIn(service, clinic) };
}

/** The same with {@link busyClinic}, for tests that send many requests. */
export function busyDesk(service: Service, changes: BusinessSeed = {}) {
  return ownedClinic(service, { keys: [wideKey], ...busyClinic, ...changes });
}

/** Adds an account with a session to the store directly, because password hashing is slow. */
export async function addSession(
  store: Store,
  slug: string,
  now: number,
  email = `owner-${crypto.randomUUID()}@clinic.example`,
  role: "owner" | "staff" = "owner",
) {
  const { account, token } = await addAccount(
    store,
    slug,
    email,
    { now, random: randomBytes },
    role,
  );
  const proof = { linkTokenHash: hashSecret(token) };
  await store.accounts.setPassword(account.businessId, account.id, noHash, proof);
  return startSession(store, account, now);
}

const noHash = "no password opens this";

/** Starts another session of an account that {@link addSession} added. */
export async function startSession(store: Store, account: Account, now: number) {
  const secret = newSecret(randomBytes);
  const session = newAccountSession(account, hashSecret(secret), now);
  await store.sessions.start(account.businessId, session, noHash);
  return { session, secret };
}

/** A visitor who is signed in as an owner of a business, or as staff. */
export async function quicklySignedIn(
  service: Service,
  clinic: Clinic,
  ...account: [email?: string, role?: "owner" | "staff"]
): Promise<Visitor> {
  const { secret } = await addSession(service.store, clinic.slug, service.now(), ...account);
  const visitor = visitorOf(service);
  visitor.cookies.set("queue_api_session", secret);
  await visitor.get("/dashboard/account");
  return visitor;
}
