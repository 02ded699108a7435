import { randomBytes } from "node:crypto";
import type { AppointmentStatus } from "@queue-api/contract";
import {
  auditLog,
  callNext,
  changeKey,
  createKey,
  importSeed,
  openStore,
  revokeKey,
  type ServingTransition,
  type Store,
  serveEntry,
  setAppointmentStatus,
  setBusiness,
  setQueueFlags,
} from "@queue-api/server";
import type { BusinessSeed, KeySeed, SeededBusiness } from "./seed.js";

type NewKeyOptions = Omit<KeySeed, "ref" | "expiresAt" | "revoked">;
type KeyChanges = Parameters<typeof changeKey>[2];

/** The actions of the owner of a business, which the API does not have. */
export interface Owner {
  seed(business: BusinessSeed & { slug: string }): Promise<SeededBusiness>;
  setAccess(slug: string, on: boolean): Promise<void>;
  setDailyLimit(slug: string, limit: number | null): Promise<void>;
  createKey(slug: string, options: NewKeyOptions): Promise<{ id: string; key: string }>;
  changeKey(keyId: string, changes: KeyChanges): Promise<void>;
  revokeKey(keyId: string): Promise<void>;
  setQueue(queueId: string, flag: "pause" | "resume" | "open" | "close"): Promise<void>;
  /** Calls the entry at position 1 and returns its id. */
  next(queueId: string): Promise<string>;
  serve(entryId: string, transition: ServingTransition): Promise<void>;
  setAppointment(appointmentId: string, status: AppointmentStatus): Promise<void>;
  /** Newest first. */
  audit(slug: string, limit: number): ReturnType<typeof auditLog>;
}

const flags = {
  pause: { isTokenCreationPaused: true },
  resume: { isTokenCreationPaused: false },
  open: { isActive: true },
  close: { isActive: false },
} as const;

/** Does some work on a store. */
type OnStore = <Result>(work: (store: Store) => Promise<Result>) => Promise<Result>;

function ownerBy(on: OnStore, now: () => number): Owner {
  return {
    async seed(business) {
      const context = { now: now(), random: randomBytes, replace: false };
      const { businesses } = await on((store) =>
        importSeed(store, { businesses: [business] }, context),
      );
      return seeded(businesses, business.slug);
    },
    async setAccess(slug, apiAccess) {
      await on((store) => setBusiness(store, slug, { apiAccess }));
    },
    async setDailyLimit(slug, dailyTokenLimit) {
      await on((store) => setBusiness(store, slug, { dailyTokenLimit }));
    },
    async createKey(slug, options) {
      const { scopes = ["queue:read"], allowIps = [], ...rest } = options;
      const all = { ...rest, scopes: [...scopes], allowIps: [...allowIps] };
      const context = { now: now(), random: randomBytes };
      const { record, key } = await on((store) => createKey(store, slug, all, context));
      return { id: record.id, key };
    },
    async changeKey(keyId, changes) {
      await on((store) => changeKey(store, keyId, changes));
    },
    async revokeKey(keyId) {
      await on((store) => revokeKey(store, keyId, now()));
    },
    async setQueue(queueId, flag) {
      await on((store) => setQueueFlags(store, queueId, flags[flag]));
    },
    async next(queueId) {
      return (await on((store) => callNext(store, queueId, now()))).id;
    },
    async serve(entryId, transition) {
      await on((store) => serveEntry(store, entryId, transition, now()));
    },
    async setAppointment(appointmentId, status) {
      await on((store) => setAppointmentStatus(store, appointmentId, status));
    },
    audit: (slug, limit) => on((store) => auditLog(store, slug, limit)),
  };
}

/** The owner's actions in this process, on the store of the service. */
export function ownerOf(store: Store, now: () => number): Owner {
  return ownerBy((work) => work(store), now);
}

/** The owner's actions on the database of a service in another process, opened for each, as the command does. */
export function ownerAt(databaseUrl: string): Owner {
  return ownerBy(async (work) => {
    const store = await openStore(databaseUrl, { random: randomBytes });
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  }, Date.now);
}

function seeded(businesses: Readonly<Record<string, SeededBusiness>>, slug: string) {
  const business = businesses[slug];
  if (!business) throw new Error(`The seed printed no business ${slug}.`);
  return business;
}
