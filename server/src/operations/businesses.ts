import type { Business } from "../rules/records.js";
import { hasValues, StaleError } from "../rules/stale.js";
import type { BusinessRecord } from "../store/tables.js";
import { change, view } from "./operation.js";

/** The fields of a business that can change; an absent field stays unchanged. */
export type SettingsChange = Partial<
  Pick<
    Business,
    "apiAccess" | "dailyTokenLimit" | "sandbox" | "longWaitMinutes" | "displayHash" | "displayQuery"
  >
>;

/** The kinds of records by which their business is found. */
export type OwnedKind = "key" | "queue" | "entry" | "appointment";

/** The business of a record. */
export function businessOf(record: BusinessRecord & { readonly version?: number }): Business {
  const { added, queues, services, keys, accounts, used, version, ...business } = record;
  return business;
}

/** The field of a business by which it is found. */
const paths = {
  id: "id",
  slug: "slug",
  displayHash: "displayHash",
  key: "keys.id",
  queue: "queues.id",
} as const;

/** Businesses and their settings. */
export const businesses = {
  /** Every business, in the order in which they were added. */
  list: view(async (tx): Promise<readonly Business[]> => {
    const found = await tx.list("businesses", {
      where: {},
      order: ["added"],
      limit: maxBusinesses,
    });
    return found.map(businessOf);
  }),

  /** The business with this value in a field, or to which the record of a kind with this id belongs. */
  find: view(
    async (
      tx,
      by: "id" | "slug" | "displayHash" | OwnedKind,
      value: string,
    ): Promise<Business | null> => {
      if (by === "entry" || by === "appointment") {
        const table = by === "entry" ? "entries" : "appointments";
        const owned = await tx.find(table, { id: value });
        const owner = owned && (await tx.find("businesses", { id: owned.businessId }));
        return owner && businessOf(owner);
      }
      const found = await tx.find("businesses", { [paths[by]]: value });
      return found && businessOf(found);
    },
  ),

  /**
   * Changes the settings of a business; null if it does not exist. `seen`: the settings that the change was decided on.
   * Throws `StaleError` if one of them differs now, unless the business already has the values of the change.
   */
  change: change(
    async (
      tx,
      businessId: string,
      settings: SettingsChange,
      seen: SettingsChange = {},
    ): Promise<Business | null> => {
      const record = await tx.find("businesses", { id: businessId });
      if (!record) return null;
      if (!hasValues(record, seen) && !hasValues(record, settings)) throw new StaleError();
      tx.update("businesses", record, settings);
      return businessOf({ ...record, ...settings });
    },
  ),
};

/** Far more than one database holds. */
const maxBusinesses = 1_000_000;
