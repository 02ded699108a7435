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

/** The actions of the owner of a business, which the API does not have. */
export type Owner = ReturnType<typeof ownerBy>;

const flags = {
  pause: { isTokenCreationPaused: true },
  resume: { isTokenCreationPaused: false },
  open: { isActive: true },
  close: { isActive: false },
} as const;

/** Does some work on a store. */
type OnStore = <Result>(work: (store: Store) => Promise<Result>) => Promise<Result>;

function ownerBy(on: OnStore, now: () => number) {
  const random = randomBytes;
  return {
    async seed(business: BusinessSeed & { slug: string }): Promise<SeededBusiness> {
      const context = { now: now(), random, replace: false };
      const { businesses } = await on((store) =>
        importSeed(store, { businesses: [business] }, context),
      );
      const seeded = businesses[business.slug];
      if (!seeded) throw new Error(`The seed printed no business ${business.slug}.`);
      return seeded;
    },
    setAccess: (slug: string, apiAccess: boolean) =>
      on((store) => setBusiness(store, slug, { apiAccess })),
    setDailyLimit: (slug: string, dailyTokenLimit: number | null) =>
      on((store) => setBusiness(store, slug, { dailyTokenLimit })),
    async createKey(slug: string, options: NewKeyOptions) {
      const { scopes = ["queue:read"], allowIps = [], ...rest } = options;
      const all = { ...rest, scopes: [...scopes], allowIps: [...allowIps] };
      const { record, key } = await on((store) =>
        createKey(store, slug, all, { now: now(), random }),
      );
      return { id: record.id, key };
    },
    changeKey: (keyId: string, changes: Parameters<typeof changeKey>[2]) =>
      on((store) => changeKey(store, keyId, changes)),
    revokeKey: (keyId: string) => on((store) => revokeKey(store, keyId, now())),
    setQueue: (queueId: string, flag: keyof typeof flags) =>
      on((store) => setQueueFlags(store, queueId, flags[flag])),
    /** Calls the entry at position 1 and returns its id. */
    async next(queueId: string) {
      return (await on((store) => callNext(store, queueId, now()))).id;
    },
    serve: (entryId: string, transition: ServingTransition) =>
      on((store) => serveEntry(store, entryId, transition, now())),
    setAppointment: (appointmentId: string, status: AppointmentStatus) =>
      on((store) => setAppointmentStatus(store, appointmentId, status)),
    /** Newest first. */
    audit: (slug: string, limit: number) => on((store) => auditLog(store, slug, limit)),
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
