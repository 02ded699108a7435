import { forgottenKeys, isBelowKeyLimit, revokedOnce } from "../../rules/key.js";
import type { Clock } from "../../rules/ports.js";
import type { Business, KeyInUse } from "../../rules/records.js";
import type { BusinessStore, KeyStore, QueueStore, ServiceStore } from "../port/business.js";
import type { Connection, Query } from "./connection.js";
import { businesses, type ChargedKey, keys, queueColumns, queues, services } from "./schema.js";
import type { Steps } from "./steps.js";

/** Businesses and their settings. */
export function prepareBusinesses(db: Connection): Steps<BusinessStore> {
  const all = businesses.list<Business>(db, "ORDER BY position LIMIT -1");
  const get = businesses.find(db, "id = ?");
  const update = businesses.update(db, "id");
  const findOf = (table: string) =>
    businesses.find(db, `id = (SELECT business_id FROM ${table} WHERE id = ?)`);
  const find: Record<Parameters<BusinessStore["find"]>[0], Query<Business>> = {
    ...{ id: get, slug: businesses.find(db, "slug = ?") },
    displayHash: businesses.find(db, "display_hash = ?"),
    ...{ key: findOf("api_keys"), queue: findOf("queues"), entry: findOf("entries") },
    appointment: findOf("appointments"),
  };

  return {
    list: () => all(),
    find: (by, value) => find[by](value),

    change(id, change) {
      const before = get(id);
      return before && update(before, { ...before, ...change });
    },
  };
}

/** The API keys of a business. */
export function prepareKeys(
  db: Connection,
  clock: Clock,
): Steps<KeyStore> & { keep(key: KeyInUse): void } {
  const list = keys.ofBusiness(db, "created_at, id");
  const rows = keys.owned(db);
  const exists = keys.find(db, "id = ?");
  const forget = db.command("DELETE FROM api_keys WHERE id = ?");

  return {
    list: (businessId) => list(businessId).map(inUse),

    /** Stores a key that an import brings. */
    keep({ lastUsedAt, ...key }) {
      const requests = lastUsedAt === null ? null : { startedAt: lastUsedAt, count: 0 };
      rows.add({ ...key, requests, writes: null });
    },

    add(businessId, key) {
      if (exists(key.id)) return "exists";
      const others = list(businessId);
      if (!isBelowKeyLimit(others, clock())) return "too_many_active";
      for (const id of forgottenKeys(others, clock())) forget(id);
      return rows.add({ ...key, requests: null, writes: null });
    },

    change(businessId, keyId, change) {
      const key = rows.find(businessId, keyId);
      const after = key && rows.change(businessId, keyId, revokedOnce(key, change));
      return after && inUse(after);
    },
  };
}

function inUse({ requests, writes, ...key }: ChargedKey): KeyInUse {
  return { ...key, lastUsedAt: requests?.startedAt ?? null };
}

/** The queues of a business. */
export function prepareQueues(db: Connection): Omit<Steps<QueueStore>, "day"> {
  const list = queues.ofBusiness(db, "place, id", queueColumns);
  const { add, change, remove } = queues.owned(db, queueColumns);
  const lastPlace = db.query<[place: number]>(
    "SELECT json_array(ifnull(max(place), 0)) FROM queues WHERE business_id = ?",
  );
  const setPlace = db.command("UPDATE queues SET place = ? WHERE id = ? AND business_id = ?");
  const findUse = db.query<[number]>(`
    SELECT json_array(1) WHERE
      EXISTS (SELECT 1 FROM entries WHERE business_id = ?1 AND queue_id = ?2)
      OR EXISTS (SELECT 1 FROM entries moved INDEXED BY entries_moved, json_each(moved.earlier_places) place
        WHERE moved.business_id = ?1 AND moved.earlier_places <> '[]'
          AND place.value ->> 'queueId' = ?2)`);

  return {
    list,

    add(businessId, queue) {
      const [last = 0] = lastPlace(businessId) ?? [];
      return add({ ...queue, place: last + 1 });
    },

    change,

    reorder(businessId, queueIds) {
      const ids = new Set([...queueIds, ...list(businessId).map(({ id }) => id)]);
      for (const [index, id] of [...ids].entries()) setPlace(index + 1, id, businessId);
    },

    isInUse: (businessId, queueId) => findUse(businessId, queueId) !== null,
    remove: (businessId, queueId) =>
      remove(businessId, queueId, () => findUse(businessId, queueId) !== null),
  };
}

/** The services of a business. */
export function prepareServices(db: Connection): Steps<ServiceStore> {
  const { add, change, remove } = services.owned(db);
  const findUse = db.query<[number]>(`
    SELECT json_array(1) WHERE
      EXISTS (SELECT 1 FROM entries WHERE business_id = ?1 AND service_id = ?2)
      OR EXISTS (SELECT 1 FROM appointments WHERE business_id = ?1 AND service_id = ?2)`);

  return {
    list: services.ofBusiness(db, "position"),
    add: (_, service) => add(service),
    change,
    isInUse: (businessId, serviceId) => findUse(businessId, serviceId) !== null,
    remove: (businessId, serviceId) =>
      remove(businessId, serviceId, () => findUse(businessId, serviceId) !== null),
  };
}
