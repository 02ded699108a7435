import { limits, scopes } from "@queue-api/contract";
import { businessDay } from "../rules/business-day.js";
import { readReceipt } from "../rules/entry-answer.js";
import { tokenRequest } from "../rules/issue.js";
import { isActive, isValidCredential, readKey } from "../rules/key.js";
import type { Random } from "../rules/ports.js";
import type { Business, Entry, Queue } from "../rules/records.js";
import type { Move } from "../rules/transitions.js";
import { importBusinesses } from "../store/import-business.js";
import type { Store } from "../store/store.js";
import { findBusiness } from "./business.js";
import type { CreationContext } from "./creation-context.js";
import { demoSeed, demoSlug } from "./demo-data.js";
import { demoHistory } from "./demo-history.js";
import { createKey } from "./key.js";
import { OwnerError } from "./owner-error.js";
import { readSeed } from "./seed.js";
import { recordsOf } from "./seed-records.js";
import { seedFile } from "./seed-schema.js";

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

/** The result of an earlier preparation of the demo. */
export interface KnownDemo {
  /** The key that an earlier preparation returned. Default: none. */
  readonly keptKey?: string | null;
}

/**
 * Creates the demo business if it does not exist, with four weeks of history, today's entries and a key. An existing
 * demo business keeps its data, and gets entries of today if it has none. The database does not contain secrets, so
 * without a valid kept key each call creates a new key and revokes the oldest of the earlier ones.
 *
 * @throws OwnerError if the business with the demo's slug is not a sandbox (it stays unchanged), none of its queues
 * takes tokens, or it has the maximum number of active keys.
 */
export async function prepareDemo(
  store: Store,
  now: number,
  random: Random,
  { keptKey = null }: KnownDemo = {},
): Promise<Demo> {
  const context = { now, random };
  const there = await store.businesses.bySlug(demoSlug);
  if (there && !there.sandbox) throw new OwnerError({ code: "demo_slug_taken", slug: demoSlug });
  if (there) await addEntriesOfToday(store, context);
  else await importDemo(store, context);

  const business = await findBusiness(store, demoSlug);
  const queue = (await store.queues.list(business.id)).find(takesTokens);
  if (!queue) {
    throw new OwnerError({ code: "demo_closed" });
  }
  const works = keptKey !== null && (await isDemoKey(store, business, keptKey, now));
  return { key: works ? keptKey : await renewKey(store, business, context), queueId: queue.id };
}

async function importDemo(store: Store, context: CreationContext): Promise<void> {
  const { imports } = readSeed(demoSeed, context);
  const withHistory = imports.map((clinic) => ({
    ...clinic,
    entries: [...demoHistory(clinic, context), ...clinic.entries],
  }));
  const { outcome } = await importBusinesses(store, withHistory, { replace: false });
  // Another server on this database may have created the demo in the meantime.
  if (outcome !== "imported" && !(await store.businesses.bySlug(demoSlug))?.sandbox) {
    throw new OwnerError({ code: "demo_slug_taken", slug: demoSlug });
  }
}

/** A key that expires within this time is replaced, so that it does not expire while a user tries the demo. */
const leastLeftMs = 86_400_000;

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
  return found?.purpose === "demo" && isValidCredential(credentials, found, now + leastLeftMs);
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
    await store.keys.revoke(business.id, id, context.now);
  }
  const options = { name: "Demo", scopes: [...scopes] };
  return (await createKey(store, business.slug, options, { ...context, purpose: "demo" })).key;
}

/** On a day without entries, issues the same entries again in the queues that take tokens. */
async function addEntriesOfToday(store: Store, { now, random }: CreationContext): Promise<void> {
  const business = await findBusiness(store, demoSlug);
  const today = businessDay(now, business.timezone);
  const queues = await store.queues.list(business.id);
  if (await hasEntries(store, business.id, queues, today)) return;

  const services = await store.services.list(business.id);
  for (const seed of seedFile.parse(demoSeed).businesses) {
    const { records } = recordsOf(seed, now, random);
    for (const entry of records.entries) {
      const queue = sameName(queues, records.queues, entry.queueId);
      const service = sameName(services, records.services, entry.serviceId);
      if (entry.date !== today || !queue) continue;
      const again = {
        ...entry,
        queueId: queue.id,
        serviceId: service?.active ? service.id : null,
      };
      await issueAgain(store, business, again, { now, random });
    }
  }
}

async function hasEntries(
  store: Store,
  businessId: string,
  queues: readonly Queue[],
  date: string,
): Promise<boolean> {
  const days = await Promise.all(queues.map(({ id }) => store.queues.day(businessId, id, date)));
  return days.some((day) => day && Object.values(day.counts).some((count) => count > 0));
}

interface Named {
  readonly id: string;
  readonly name: string;
}

/** The kept record with the same name as the new record with this id. */
function sameName<Thing extends Named>(
  kept: readonly Thing[],
  made: readonly Named[],
  id: string | null,
): Thing | undefined {
  const name = made.find((one) => one.id === id)?.name;
  return kept.find((one) => one.name === name);
}

/** Issues an entry and moves it to its status. Does nothing if the queue takes no tokens. */
async function issueAgain(
  store: Store,
  business: Business,
  entry: Entry,
  { now, random }: CreationContext,
): Promise<void> {
  const { issuedAt } = entry;
  const issued = await store.entries.issue(business.id, {
    ...tokenRequest(business, entry, { now, random, issuedAt }),
    ...{ keyed: null, audit: null },
  });
  if (issued.outcome !== "issued") return;
  const { id } = readReceipt(issued.receipt).data;
  for (const { move, at } of movesTo(entry)) {
    await store.entries.move(business.id, id, move, at ?? issuedAt);
  }
}

interface TimedMove {
  readonly move: Move;
  readonly at: number | null;
}

/** The moves that give a new entry the status of this one, with their times. */
function movesTo({ status, startedAt, completedAt, canceledAt }: Entry): TimedMove[] {
  const call = { move: "call", at: startedAt } as const;
  switch (status) {
    case "WAITING":
      return [];
    case "IN_SERVICE":
      return [call];
    case "COMPLETED":
      return [call, { move: "complete", at: completedAt }];
    case "CANCELED":
      return [{ move: "cancel", at: canceledAt }];
    case "NO_SHOW":
      return [{ move: "no-show", at: null }];
  }
}
