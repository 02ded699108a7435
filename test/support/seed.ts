import type { AppointmentStatus, EntryStatus, Scope } from "@queue-api/contract";

/** A business in a seed file. Omitted fields have their defaults. */
export interface BusinessSeed {
  readonly slug?: string;
  readonly name?: string;
  readonly category?: string | null;
  readonly timezone?: string | null;
  readonly apiAccess?: boolean;
  readonly dailyTokenLimit?: number | null;
  readonly sandbox?: boolean;
  readonly services?: readonly {
    readonly ref?: string;
    readonly name: string;
    readonly price?: number | null;
    readonly baseTimeMinutes?: number | null;
    readonly active?: boolean;
  }[];
  readonly queues?: readonly QueueSeed[];
  readonly appointments?: readonly AppointmentSeed[];
  readonly keys?: readonly KeySeed[];
}

export interface QueueSeed {
  readonly ref?: string;
  readonly name: string;
  readonly tokenSeries?: string;
  readonly isActive?: boolean;
  readonly isTokenCreationPaused?: boolean;
  readonly entries?: readonly EntrySeed[];
}

export interface EntrySeed {
  readonly ref?: string;
  readonly name?: string;
  readonly phone?: string;
  readonly service?: string;
  readonly status?: EntryStatus;
  readonly priority?: boolean;
  readonly date?: string;
  readonly minutesAgo?: number;
}

interface AppointmentSeed {
  readonly ref?: string;
  readonly date?: string;
  readonly slotTime: string;
  readonly durationMinutes?: number;
  readonly status?: AppointmentStatus;
  readonly service?: string;
  readonly customer?: { readonly name?: string; readonly phone?: string };
  readonly notes?: string;
}

export interface KeySeed {
  readonly ref?: string;
  readonly name: string;
  readonly scopes?: readonly Scope[];
  readonly days?: number;
  readonly expiresAt?: string | null;
  readonly allowIps?: readonly string[];
  readonly requestsPerMinute?: number;
  readonly writesPerMinute?: number;
  readonly revoked?: boolean;
}

/** The result of seeding a business: the ids and keys of its refs. */
export interface SeededBusiness {
  readonly id: string;
  readonly services: Readonly<Record<string, string>>;
  readonly queues: Readonly<Record<string, string>>;
  readonly entries: Readonly<Record<string, string>>;
  readonly appointments: Readonly<Record<string, string>>;
  readonly keys: Readonly<Record<string, string>>;
}

export const everyScope: readonly Scope[] = ["queue:read", "queue:write", "appointments:read"];

/** The key `main` of a business: every scope, the default limits. */
export const mainKey: KeySeed = { ref: "main", name: "Main", scopes: everyScope };

/** A key for a test that sends more than the default limits allow. */
export const wideKey: KeySeed = {
  ...mainKey,
  requestsPerMinute: 1_000_000,
  writesPerMinute: 1_000_000,
};

/** A small clinic: one service of 15 minutes, one queue, one key. A test names only the changes. */
export function clinicSeed(
  changes: BusinessSeed,
): BusinessSeed & Required<Pick<BusinessSeed, "slug">> {
  return {
    slug: `clinic-${crypto.randomUUID()}`,
    name: "Sunrise Clinic",
    category: "clinic",
    timezone: "Asia/Kolkata",
    services: [{ ref: "consult", name: "Consultation", price: 300, baseTimeMinutes: 15 }],
    queues: [{ ref: "front", name: "Front desk" }],
    keys: [mainKey],
    ...changes,
  };
}
