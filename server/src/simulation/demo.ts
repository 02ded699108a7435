import { limits, scopes } from "@queue-api/contract";
import type { Store } from "../operations/store.js";
import { addAccount, type Invitation, renewLinkOf } from "../owner/account.js";
import { findBusiness } from "../owner/business.js";
import type { CreationContext } from "../owner/creation-context.js";
import { importBusinesses } from "../owner/import-business.js";
import { createKey } from "../owner/key.js";
import { OwnerError } from "../owner/owner-error.js";
import type { Passwords } from "../owner/password.js";
import { readSeed } from "../owner/seed.js";
import { randomText } from "../rules/base62.js";
import { businessDay } from "../rules/business-day.js";
import { hashSecret, isActive, isValidCredential, readKey } from "../rules/key.js";
import type { Random } from "../rules/ports.js";
import type { Business, Entry, Queue, Service } from "../rules/records.js";
import { tokenRequest } from "../rules/token-creation.js";
import type { Transition } from "../rules/transitions.js";
import { demoSeed, demoSlug } from "./demo-data.js";
import { demoHistory } from "./demo-history.js";
import { readDemoKey, writeDemoKey } from "./demo-key-file.js";

/** What a user needs to try the service. */
export interface Demo {
  /**
   * A key with all scopes: the kept key if it is still valid, else a new one. A new key is revoked after three later
   * ones have been created.
   */
  readonly key: string;
  /** A queue that takes tokens. */
  readonly queueId: string;
}

/**
 * Creates the demo business if it does not exist, with four weeks of history, today's entries and a key. An existing
 * demo business keeps its data, and gets entries of today if it has none. The database does not contain secrets, so
 * without a valid kept key each call creates a new key and revokes the oldest of the earlier ones. `keptKey`: the key
 * that an earlier call returned; default none.
 *
 * @throws OwnerError if the business with the demo's slug is not a sandbox (it stays unchanged), none of its queues
 * takes tokens, or it has the maximum number of active keys.
 */
export async function prepareDemo(
  store: Store,
  now: number,
  random: Random,
  { keptKey = null }: { readonly keptKey?: string | null } = {},
): Promise<Demo> {
  const context = { now, random };
  const there = await store.businesses.find("slug", demoSlug);
  if (!there) await importDemo(store, context);
  // Another server on this database may have created it in the meantime.
  const business = await findBusiness(store, demoSlug);
  if (!business.sandbox) throw new OwnerError({ code: "demo_slug_taken", slug: demoSlug });
  if (there) await addEntriesOfToday(store, business, context);
  const queue = (await store.queues.list(business.id)).find(takesTokens);
  if (!queue) throw new OwnerError({ code: "demo_closed" });
  const works = keptKey !== null && (await isDemoKey(store, business, keptKey, now));
  return { key: works ? keptKey : await renewKey(store, business, context), queueId: queue.id };
}

async function importDemo(store: Store, context: CreationContext): Promise<void> {
  const { imports } = readSeed(demoSeed, context);
  const withHistory = imports.map((clinic) => ({
    ...clinic,
    entries: [...demoHistory(clinic, context.now, context.random), ...clinic.entries],
  }));
  await importBusinesses(store, withHistory, { replace: false });
}

/** A key that expires within this time is replaced, so that it does not expire while a user tries the demo. */
const minRemainingMs = 86_400_000;

/** Whether a key belongs to the demo and is still valid tomorrow. */
async function isDemoKey(
  store: Store,
  { id }: Business,
  key: string,
  now: number,
): Promise<boolean> {
  const credentials = readKey(key);
  if (!credentials) return false;
  const found = (await store.keys.list(id)).find((one) => one.id === credentials.keyId);
  return found?.purpose === "demo" && isValidCredential(credentials, found, now + minRemainingMs);
}

function takesTokens(queue: Queue): boolean {
  return queue.isActive && !queue.isTokenCreationPaused;
}

/** The number of earlier keys that stay valid, so that servers on one database do not revoke each other's keys. */
const earlierKeys = 2;

async function renewKey(
  store: Store,
  business: Business,
  context: CreationContext,
): Promise<string> {
  const active = (await store.keys.list(business.id)).filter((key) => isActive(key, context.now));
  const earlier = active.filter(({ purpose }) => purpose === "demo");
  // The key limit must leave room for the new key.
  const room = limits.activeKeys - (active.length - earlier.length) - 1;
  const kept = Math.max(0, Math.min(earlierKeys, room));
  for (const { id } of earlier.slice(0, Math.max(0, earlier.length - kept))) {
    await store.keys.change(business.id, id, { revokedAt: context.now });
  }
  const options = { name: "Demo", scopes: [...scopes] };
  return (await createKey(store, business.slug, options, { ...context, purpose: "demo" })).key;
}

/** On a day without entries, issues the same entries again in the queues that take tokens. */
async function addEntriesOfToday(
  store: Store,
  business: Business,
  context: CreationContext,
): Promise<void> {
  const today = businessDay(context.now, business.timezone);
  const queues = await store.queues.list(business.id);
  const days = await Promise.all(queues.map(({ id }) => store.queues.day(business.id, id, today)));
  if (days.some((day) => day && Object.values(day.counts).some((count) => count > 0))) return;

  const services = await store.services.list(business.id);
  for (const clinic of readSeed(demoSeed, context).imports) {
    for (const entry of clinic.entries) {
      const queueName = nameOf(clinic.queues, entry.queueId);
      const queue = queues.find(({ name }) => name === queueName);
      if (!queue) continue;
      const serviceName = nameOf(clinic.services, entry.serviceId);
      const service = services.find(({ name }) => name === serviceName);
      const serviceId = service?.active ? service.id : null;
      await createAgain(store, business, { ...entry, queueId: queue.id, serviceId }, context);
    }
  }
}

function nameOf(items: readonly (Queue | Service)[], wanted: string | null): string | undefined {
  return items.find(({ id }) => id === wanted)?.name;
}

/** The transitions that give a new entry a status. */
const transitionsTo: Readonly<Record<Entry["status"], readonly Transition[]>> = {
  WAITING: [],
  IN_SERVICE: ["call"],
  COMPLETED: ["call", "complete"],
  CANCELED: ["cancel"],
  NO_SHOW: ["no-show"],
};

/** Issues an entry and brings it to its status. Does nothing if the queue takes no tokens. */
async function createAgain(
  store: Store,
  business: Business,
  entry: Entry,
  context: CreationContext,
): Promise<void> {
  const { issuedAt, startedAt, completedAt, canceledAt } = entry;
  const created = await store.entries.create(business.id, {
    ...tokenRequest(business, entry, { ...context, issuedAt }),
    keyed: null,
  });
  if (created.outcome !== "created") return;
  const { id } = created.receipt.entry;
  for (const transition of transitionsTo[entry.status]) {
    const at = transition === "call" ? startedAt : (completedAt ?? canceledAt);
    await store.entries.transition(business.id, id, transition, at ?? issuedAt);
  }
}

/** The demo business, and how to sign in to its dashboard. */
export interface ServedDemo extends Demo {
  readonly owner: DemoOwner;
}

/** Prepares the demo and its owner. If the database is a file, uses the key of an earlier start. */
export async function openDemo(
  store: Store,
  { file, random, passwords }: { file: string | null; random: Random; passwords: Passwords },
): Promise<ServedDemo> {
  const now = store.now();
  const keptKey = file === null ? null : await readDemoKey(file);
  const demo = await prepareDemo(store, now, random, { keptKey });
  if (file !== null && demo.key !== keptKey) await writeDemoKey(file, demo.key);
  return { ...demo, owner: await prepareDemoOwner(store, { now, random, passwords }) };
}

const ownerEmail = "owner@demo.example";
const passwordLength = 16;

/** How to sign in to the dashboard of the demo business. */
export interface DemoOwner {
  readonly email: string;
  /** It works until the demo is prepared again. */
  readonly password: string;
}

/**
 * Creates the owner of the demo business if it does not exist, and sets a new password, because the old one is stored
 * only as a hash.
 */
export async function prepareDemoOwner(
  store: Store,
  { passwords, ...context }: CreationContext & { readonly passwords: Passwords },
): Promise<DemoOwner> {
  const { account, token } = await invitedOwner(store, context);
  const password = randomText(context.random, passwordLength);
  const passwordHash = await passwords.hash(password);
  const proof = { linkTokenHash: hashSecret(token) };
  await store.accounts.setPassword(account.businessId, account.id, passwordHash, proof);
  return { email: ownerEmail, password };
}

async function invitedOwner(store: Store, context: CreationContext): Promise<Invitation> {
  const { id } = await findBusiness(store, demoSlug);
  const find = async () =>
    (await store.accounts.list(id)).find(({ email }) => email === ownerEmail);
  const known = await find();
  if (known) return renewLinkOf(store, known, context);
  try {
    return await addAccount(store, demoSlug, ownerEmail, context);
  } catch (error) {
    // Another server on this database may have added it in the meantime.
    const added = error instanceof OwnerError && (await find());
    if (!added) throw error;
    return renewLinkOf(store, added, context);
  }
}
