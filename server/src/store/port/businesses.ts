import type { ApiKey, Appointment, Business, Entry, Queue, Service } from "../../rules/records.js";

/** What of a business can be changed; what is absent stays as it is. */
export type BusinessChange = Partial<
  Pick<Business, "apiAccess" | "dailyTokenLimit" | "sandbox" | "longWaitMinutes" | "displayHash">
>;

/** The kinds of records whose business can be found by their id. */
export type OwnedKind = "key" | "queue" | "entry" | "appointment";

/** A business with all that belongs to it, as the seed file describes it. */
export interface BusinessImport {
  readonly business: Business;
  readonly keys: readonly ApiKey[];
  readonly services: readonly Service[];
  readonly queues: readonly Queue[];
  readonly entries: readonly Entry[];
  readonly appointments: readonly Appointment[];
}

export interface ImportOptions {
  /** Whether a business whose slug exists is replaced, with all that belonged to it. */
  readonly replace: boolean;
}

export type ImportOutcome =
  | { readonly outcome: "imported" }
  | { readonly outcome: "slug_exists"; readonly slug: string };

/** Businesses and their settings. */
export interface BusinessStore {
  /** Every business, in the order in which they were added. */
  list(): Promise<readonly Business[]>;
  get(businessId: string): Promise<Business | null>;
  bySlug(slug: string): Promise<Business | null>;
  /** The business whose link to the waiting-room display has this hash. */
  byDisplay(displayHash: string): Promise<Business | null>;
  /** The id of the business that a record belongs to, or null when there is no such record. */
  idOf(kind: OwnedKind, id: string): Promise<string | null>;
  /** Null when there is no such business. */
  change(businessId: string, change: BusinessChange): Promise<Business | null>;
  /** Writes all of it or nothing. */
  import(imports: readonly BusinessImport[], options: ImportOptions): Promise<ImportOutcome>;
}
