import { forgottenKeys, isBelowKeyLimit } from "../../rules/key-limit.js";
import type { Clock } from "../../rules/ports.js";
import type { Business, KeyInUse, Queue, Service } from "../../rules/records.js";
import type {
  BusinessStore,
  KeyStore,
  OwnedKind,
  QueueStore,
  ServiceStore,
} from "../port/business.js";
import type { Connection } from "./connection.js";
import {
  businesses,
  keyColumns,
  keys,
  noWindows,
  queueColumns,
  queues,
  services,
} from "./schema.js";
import type { Steps } from "./steps.js";

/** Businesses and their settings. */
export function prepareBusinesses(db: Connection): Steps<BusinessStore> {
  const all = businesses.list<Business>(db, "ORDER BY position LIMIT -1");
  const find = (column: "id" | "slug" | "display_hash") =>
    db.query<Business>(`SELECT ${businesses.json("b")} FROM businesses b WHERE b.${column} = ?`);
  const get = find("id");
  const update = businesses.update(db, "id");
  // The join hides records that no business names.
  const idOf = (table: string) =>
    db.query<[businessId: string]>(`
      SELECT json_array(b.id) FROM ${table} r JOIN businesses b ON b.id = r.business_id
      WHERE r.id = ?`);
  const businessOf: Record<OwnedKind, (id: string) => [businessId: string] | null> = {
    key: idOf("api_keys"),
    queue: idOf("queues"),
    entry: idOf("entries"),
    appointment: idOf("appointments"),
  };

  return {
    list: () => all(),
    get: (id) => get(id),
    bySlug: find("slug"),
    byDisplay: find("display_hash"),
    idOf: (kind, id) => businessOf[kind](id)?.[0] ?? null,

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
): Steps<KeyStore> & { keep(key: KeyInUse): boolean } {
  const listAll = keys.list<KeyInUse>(
    db,
    "WHERE business_id = ? ORDER BY created_at, id LIMIT -1",
    keyColumns,
  );
  const { find, change } = keys.owned<KeyInUse>(db, keyColumns);
  const exists = db.query<[id: string]>("SELECT json_array(id) FROM api_keys WHERE id = ?");
  const insert = keys.insert(db);
  const remove = db.command("DELETE FROM api_keys WHERE id = ?");

  const list = (businessId: string): KeyInUse[] => listAll(businessId);

  return {
    list,

    /** Stores a key that an import brings. */
    keep: (key) => insert({ ...key, ...noWindows }),

    add(businessId, key) {
      if (exists(key.id)) return "exists";
      const others = list(businessId);
      if (!isBelowKeyLimit(others, clock())) return "too_many_active";
      for (const id of forgottenKeys(others, clock())) remove(id);
      insert({ ...key, lastUsedAt: null, ...noWindows });
      return "added";
    },

    change: (businessId, keyId, changes) => change(businessId, keyId, changes) !== null,

    revoke(businessId, keyId, now) {
      const revokedAt = find(businessId, keyId)?.revokedAt ?? now;
      return change(businessId, keyId, { revokedAt }) !== null;
    },
  };
}

/** The queues of a business. */
export function prepareQueues(db: Connection): Omit<Steps<QueueStore>, "day"> {
  const listAll = queues.list<Queue>(
    db,
    "WHERE business_id = ? ORDER BY place, id LIMIT -1",
    queueColumns,
  );
  const { find, change } = queues.owned<Queue>(db, queueColumns);
  const lastPlace = db.query<[place: number]>(
    "SELECT json_array(ifnull(max(place), 0)) FROM queues WHERE business_id = ?",
  );
  const setPlace = db.command("UPDATE queues SET place = ? WHERE id = ? AND business_id = ?");
  const isInUse = db.query<[number]>(`
    SELECT json_array(1) WHERE
      EXISTS (SELECT 1 FROM entries WHERE business_id = ?1 AND queue_id = ?2)
      OR EXISTS (SELECT 1 FROM entries moved INDEXED BY entries_moved, json_each(moved.earlier_places) place
        WHERE moved.business_id = ?1 AND moved.earlier_places <> '[]'
          AND place.value ->> 'queueId' = ?2)`);
  const remove = db.command("DELETE FROM queues WHERE id = ?");
  const insert = queues.insert(db, "ON CONFLICT (id) DO NOTHING");

  const list = (businessId: string): Queue[] => listAll(businessId);

  return {
    list,

    add(businessId, queue) {
      const [last = 0] = lastPlace(businessId) ?? [];
      return insert({ ...queue, place: last + 1 }) ? "added" : "exists";
    },

    change,

    reorder(businessId, queueIds) {
      const ids = new Set([...queueIds, ...list(businessId).map(({ id }) => id)]);
      for (const [index, id] of [...ids].entries()) setPlace(index + 1, id, businessId);
    },

    remove(businessId, queueId) {
      if (!find(businessId, queueId)) return "not_found";
      if (isInUse(businessId, queueId)) return "in_use";
      remove(queueId);
      return "removed";
    },
  };
}

/** The services of a business. */
export function prepareServices(db: Connection): Steps<ServiceStore> {
  const listAll = services.list<Service>(db, "WHERE business_id = ? ORDER BY position LIMIT -1");
  const { find, change } = services.owned(db);
  const isInUse = db.query<[number]>(`
    SELECT json_array(1) WHERE
      EXISTS (SELECT 1 FROM entries WHERE business_id = ?1 AND service_id = ?2)
      OR EXISTS (SELECT 1 FROM appointments WHERE business_id = ?1 AND service_id = ?2)`);
  const remove = db.command("DELETE FROM services WHERE id = ?");
  const insert = services.insert(db, "ON CONFLICT (id) DO NOTHING");

  return {
    list: (businessId) => listAll(businessId),

    add: (_, service) => (insert(service) ? "added" : "exists"),

    change,

    remove(businessId, serviceId) {
      if (!find(businessId, serviceId)) return "not_found";
      if (isInUse(businessId, serviceId)) return "in_use";
      remove(serviceId);
      return "removed";
    },
  };
}
