import type {
  Appointment,
  AuditRow,
  Business,
  Entry,
  IdempotencyRecord,
  KeyInUse,
  Owner,
  PasswordLink,
  Queue,
  Service,
} from "../rules/records.js";
import type { Part } from "./port/page.js";

/** An entry with the idempotency key that created it, if one did. */
interface KeptEntry extends Entry {
  readonly claimId: string | null;
}

/** What is known of an Idempotency-Key, and whose it is. */
interface KeptIdempotency extends IdempotencyRecord {
  readonly businessId: string;
}

/** An owner with the link that they have not used yet. */
export interface KeptOwner extends Owner {
  readonly link: Omit<PasswordLink, "ownerId"> | null;
}

/**
 * All that a store keeps, by kind. Windows are left out: within minutes they have had their time, and
 * start again in the copy. So are sessions: owners sign in again.
 */
export interface Kept {
  readonly businesses: Business;
  readonly services: Service;
  readonly queues: Queue;
  readonly keys: KeyInUse;
  readonly owners: KeptOwner;
  readonly entries: KeptEntry;
  readonly appointments: Appointment;
  readonly idempotency: KeptIdempotency;
  readonly audit: AuditRow;
}

export type Kind = keyof Kept;

/** Every kind, in an order in which they can be loaded. */
export const kinds = [
  "businesses",
  "services",
  "queues",
  "keys",
  "owners",
  "entries",
  "appointments",
  "idempotency",
  "audit",
] as const satisfies readonly Kind[];

/** How each kind is read, part by part. */
export type Dump = { readonly [K in Kind]: (after: string | null) => Part<Kept[K]> };

/** How records of each kind are put in their places; `offset` is the first one's among its kind. */
export type Load = {
  readonly [K in Kind]: (records: readonly Kept[K][], offset: number) => void | Promise<void>;
};
