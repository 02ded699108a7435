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
  type ServingMove,
  type Store,
  serveEntry,
  setAppointmentStatus,
  setBusiness,
  setQueueFlags,
} from "@queue-api/server";
import { queueApi } from "./command.js";
import type { BusinessSeed, KeySeed, SeededBusiness } from "./seed.js";

/** An audit row as the owner sees it. */
interface AuditLine {
  readonly keyId: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly ip: string;
  readonly requestId: string;
}

interface NewKey {
  readonly id: string;
  readonly key: string;
}

type NewKeyOptions = Omit<KeySeed, "ref" | "expiresAt" | "revoked">;
type KeyChanges = Partial<Omit<NewKeyOptions, "scopes" | "days">>;

/** The actions of the owner of a business, which the API does not have. */
export interface Owner {
  seed(business: BusinessSeed & { slug: string }): Promise<SeededBusiness>;
  setAccess(slug: string, on: boolean): Promise<void>;
  setDailyLimit(slug: string, limit: number | null): Promise<void>;
  createKey(slug: string, options: NewKeyOptions): Promise<NewKey>;
  changeKey(keyId: string, changes: KeyChanges): Promise<void>;
  revokeKey(keyId: string): Promise<void>;
  setQueue(queueId: string, flag: "pause" | "resume" | "open" | "close"): Promise<void>;
  /** Calls the entry at position 1 and returns its id. */
  next(queueId: string): Promise<string>;
  serve(entryId: string, move: ServingMove): Promise<void>;
  setAppointment(appointmentId: string, status: AppointmentStatus): Promise<void>;
  /** Newest first. */
  audit(slug: string, limit: number): Promise<readonly AuditLine[]>;
}

const flags = {
  pause: { isTokenCreationPaused: true },
  resume: { isTokenCreationPaused: false },
  open: { isActive: true },
  close: { isActive: false },
} as const;

/** The owner's actions in this process, on the store of the service. */
export function ownerOf(store: Store, now: () => number): Owner {
  return {
    async seed(business) {
      const result = await importSeed(
        store,
        { businesses: [business] },
        { now: now(), random: randomBytes, replace: false },
      );
      return seeded(result.businesses, business.slug);
    },
    async setAccess(slug, apiAccess) {
      await setBusiness(store, slug, { apiAccess });
    },
    async setDailyLimit(slug, dailyTokenLimit) {
      await setBusiness(store, slug, { dailyTokenLimit });
    },
    async createKey(slug, options) {
      const { scopes = ["queue:read"], allowIps = [], ...rest } = options;
      const { record, key } = await createKey(
        store,
        slug,
        { ...rest, scopes: [...scopes], allowIps: [...allowIps] },
        { now: now(), random: randomBytes },
      );
      return { id: record.id, key };
    },
    async changeKey(keyId, changes) {
      await changeKey(store, keyId, changes);
    },
    async revokeKey(keyId) {
      await revokeKey(store, keyId, now());
    },
    async setQueue(queueId, flag) {
      await setQueueFlags(store, queueId, flags[flag]);
    },
    async next(queueId) {
      return (await callNext(store, queueId, now())).id;
    },
    async serve(entryId, move) {
      await serveEntry(store, entryId, move, now());
    },
    async setAppointment(appointmentId, status) {
      await setAppointmentStatus(store, appointmentId, status);
    },
    audit: (slug, limit) => auditLog(store, slug, limit),
  };
}

/**
 * Seeds a business into a database that only services in other processes use. Quicker than the command, which is a
 * process to start.
 */
export async function seedDatabase(
  databaseUrl: string,
  business: Parameters<Owner["seed"]>[0],
): Promise<SeededBusiness> {
  const store = await openStore(databaseUrl, { random: randomBytes });
  try {
    return await ownerOf(store, Date.now).seed(business);
  } finally {
    await store.close();
  }
}

/** The owner's actions by the command line, on the database of a service in another process. */
export function ownerByCommand(databaseUrl: string): Owner {
  const run = (args: readonly string[], input?: string) =>
    queueApi([...args, "--database", databaseUrl], input);
  return {
    async seed(business) {
      const result = await run(["seed", "-"], JSON.stringify({ businesses: [business] }));
      return seeded(
        (result as { businesses: Record<string, SeededBusiness> }).businesses,
        business.slug,
      );
    },
    async setAccess(slug, on) {
      await run(["business", "set", slug, "--access", on ? "on" : "off"]);
    },
    async setDailyLimit(slug, limit) {
      await run(["business", "set", slug, "--daily-limit", limit === null ? "none" : `${limit}`]);
    },
    async createKey(slug, options) {
      const { name, scopes = ["queue:read"], days, allowIps = [] } = options;
      const { requestsPerMinute, writesPerMinute } = options;
      const made = await run([
        ...["key", "create", "--business", slug, "--name", name, "--scope", ...scopes],
        ...(days === undefined ? [] : ["--days", `${days}`]),
        ...(allowIps.length === 0 ? [] : ["--allow-ip", ...allowIps]),
        ...(requestsPerMinute ? ["--requests-per-minute", `${requestsPerMinute}`] : []),
        ...(writesPerMinute ? ["--writes-per-minute", `${writesPerMinute}`] : []),
      ]);
      return made as NewKey;
    },
    async changeKey(keyId, { name, allowIps, requestsPerMinute, writesPerMinute }) {
      const addresses = allowIps?.length === 0 ? ["all"] : (allowIps ?? []);
      await run([
        ...["key", "set", keyId],
        ...(name === undefined ? [] : ["--name", name]),
        ...(addresses.length === 0 ? [] : ["--allow-ip", ...addresses]),
        ...(requestsPerMinute ? ["--requests-per-minute", `${requestsPerMinute}`] : []),
        ...(writesPerMinute ? ["--writes-per-minute", `${writesPerMinute}`] : []),
      ]);
    },
    async revokeKey(keyId) {
      await run(["key", "revoke", keyId]);
    },
    async setQueue(queueId, flag) {
      await run(["queue", flag, queueId]);
    },
    async next(queueId) {
      return ((await run(["entry", "next", queueId])) as { id: string }).id;
    },
    async serve(entryId, move) {
      await run(["entry", move, entryId]);
    },
    async setAppointment(appointmentId, status) {
      await run(["appointment", "set", appointmentId, "--status", status]);
    },
    async audit(slug, limit) {
      const rows = await run(["audit", "--business", slug, "--limit", `${limit}`]);
      return rows as AuditLine[];
    },
  };
}

function seeded(businesses: Readonly<Record<string, SeededBusiness>>, slug: string) {
  const business = businesses[slug];
  if (!business) throw new Error(`The seed printed no business ${slug}.`);
  return business;
}
