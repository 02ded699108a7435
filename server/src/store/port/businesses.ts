import type { Business } from "../../rules/records.js";

/** The fields of a business that can change; an absent field stays unchanged. */
type BusinessChange = Partial<
  Pick<Business, "apiAccess" | "dailyTokenLimit" | "sandbox" | "longWaitMinutes" | "displayHash">
>;

/** The kinds of records for which `idOf` finds the business. */
export type OwnedKind = "key" | "queue" | "entry" | "appointment";

/** Businesses and their settings. */
export interface BusinessStore {
  /** Every business, in the order in which they were added. */
  list(): Promise<readonly Business[]>;
  get(businessId: string): Promise<Business | null>;
  bySlug(slug: string): Promise<Business | null>;
  /** The business whose waiting-room display has this hash. */
  byDisplay(displayHash: string): Promise<Business | null>;
  /** The id of the business that a record belongs to, or null if the record does not exist. */
  idOf(kind: OwnedKind, id: string): Promise<string | null>;
  /** Null if the business does not exist. */
  change(businessId: string, change: BusinessChange): Promise<Business | null>;
}
