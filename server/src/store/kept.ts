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

/** An entry with the claim of the idempotency key that created it, if one did. */
interface KeptEntry extends Entry {
  readonly claimId: string | null;
}

/** The record of an Idempotency-Key with its business. */
interface KeptIdempotency extends IdempotencyRecord {
  readonly businessId: string;
}

/** An owner with their unused password link. */
export interface KeptOwner extends Owner {
  readonly link: Omit<PasswordLink, "ownerId"> | null;
}

/**
 * Everything that a store copies, by kind. Windows are left out, because they expire within minutes and start
 * again in the copy. Sessions are left out, because owners can sign in again.
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

/** Reads each kind, part by part. */
export type Dump = { readonly [K in Kind]: (after: string | null) => Part<Kept[K]> };

/** Writes records of each kind. `offset` is the number of records of that kind before the first one. */
export type Load = {
  readonly [K in Kind]: (records: readonly Kept[K][], offset: number) => void | Promise<void>;
};
