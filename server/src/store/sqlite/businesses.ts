import { isBelowKeyLimit } from "../../rules/key-limit.js";
import type { Clock } from "../../rules/ports.js";
import type { ApiKey, Business, KeyInUse, Queue, Service } from "../../rules/records.js";
import type { BusinessChange, OwnedKind } from "../port/businesses.js";
import type { AddKeyOutcome, KeyChange } from "../port/keys.js";
import type { AddOutcome, QueueChange, RemoveOutcome } from "../port/queues.js";
import type { ServiceChange } from "../port/services.js";
import type { Connection } from "./connection.js";
import {
  businesses,
  keyColumns,
  keys,
  noKeyWindows,
  queueColumns,
  queues,
  services,
} from "./schema.js";

/** Businesses and their settings. */
export function prepareBusinesses(db: Connection) {
  const all = db.query<Business[]>(businesses.list("ORDER BY position LIMIT -1"));
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
    list: (): Business[] => all() ?? [],
    get: (id: string): Business | null => get(id),
    bySlug: find("slug"),
    byDisplay: find("display_hash"),
    idOf: (kind: OwnedKind, id: string): string | null => businessOf[kind](id)?.[0] ?? null,

    change(id: string, change: BusinessChange): Business | null {
      const before = get(id);
      return before && update(before, { ...before, ...change });
    },
  };
}

/** The API keys of a business. */
export function prepareKeys(db: Connection, clock: Clock) {
  const listAll = db.query<KeyInUse[]>(
    keys.list("WHERE business_id = ? ORDER BY created_at, id LIMIT -1", keyColumns),
  );
  const find = db.query<KeyInUse>(
    `SELECT ${keys.json("k", keyColumns)} FROM api_keys k WHERE k.id = ? AND k.business_id = ?`,
  );
  const exists = db.query<[id: string]>("SELECT json_array(id) FROM api_keys WHERE id = ?");
  const insert = keys.insert(db);
  const update = keys.update(db, "id");

  const list = (businessId: string): KeyInUse[] => listAll(businessId) ?? [];

  function change(
    businessId: string,
    keyId: string,
    changeOf: (key: ApiKey) => Partial<ApiKey>,
  ): boolean {
    const before = find(keyId, businessId);
    if (before) update(before, { ...before, ...changeOf(before) });
    return before !== null;
  }

  return {
    list,

    /** Stores a key that an import brings. */
    keep: (key: KeyInUse): boolean => insert({ ...key, ...noKeyWindows }),

    add(businessId: string, key: ApiKey): AddKeyOutcome {
      if (exists(key.id)) return "exists";
      if (!isBelowKeyLimit(list(businessId), clock())) return "too_many_active";
      insert({ ...key, lastUsedAt: null, ...noKeyWindows });
      return "added";
    },

    change: (businessId: string, keyId: string, changes: KeyChange): boolean =>
      change(businessId, keyId, () => changes),

    revoke: (businessId: string, keyId: string, now: number): boolean =>
      change(businessId, keyId, ({ revokedAt }) => ({ revokedAt: revokedAt ?? now })),
  };
}

/** The queues of a business. */
export function prepareQueues(db: Connection) {
  const listAll = db.query<Queue[]>(
    queues.list("WHERE business_id = ? ORDER BY place, id LIMIT -1", queueColumns),
  );
  const find = db.query<Queue>(
    `SELECT ${queues.json("q", queueColumns)} FROM queues q WHERE q.id = ? AND q.business_id = ?`,
  );
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
  const update = queues.update(db, "id");

  const list = (businessId: string): Queue[] => listAll(businessId) ?? [];

  return {
    list,

    add(businessId: string, queue: Queue): AddOutcome {
      const [last = 0] = lastPlace(businessId) ?? [];
      return insert({ ...queue, place: last + 1 }) ? "added" : "exists";
    },

    change(businessId: string, queueId: string, change: QueueChange): Queue | null {
      const before = find(queueId, businessId);
      return before && update(before, { ...before, ...change });
    },

    reorder(businessId: string, queueIds: readonly string[]): void {
      const ids = new Set([...queueIds, ...list(businessId).map(({ id }) => id)]);
      for (const [index, id] of [...ids].entries()) setPlace(index + 1, id, businessId);
    },

    remove(businessId: string, queueId: string): RemoveOutcome {
      if (!find(queueId, businessId)) return "not_found";
      if (isInUse(businessId, queueId)) return "in_use";
      remove(queueId);
      return "removed";
    },
  };
}

/** The services of a business. */
export function prepareServices(db: Connection) {
  const listAll = db.query<Service[]>(
    services.list("WHERE business_id = ? ORDER BY position LIMIT -1"),
  );
  const find = db.query<Service>(
    `SELECT ${services.json("s")} FROM services s WHERE s.id = ? AND s.business_id = ?`,
  );
  const isInUse = db.query<[number]>(`
    SELECT json_array(1) WHERE
      EXISTS (SELECT 1 FROM entries WHERE business_id = ?1 AND service_id = ?2)
      OR EXISTS (SELECT 1 FROM appointments WHERE business_id = ?1 AND service_id = ?2)`);
  const remove = db.command("DELETE FROM services WHERE id = ?");
  const insert = services.insert(db, "ON CONFLICT (id) DO NOTHING");
  const update = services.update(db, "id");

  return {
    list: (businessId: string): Service[] => listAll(businessId) ?? [],

    add: (_businessId: string, service: Service): AddOutcome =>
      insert(service) ? "added" : "exists",

    change(businessId: string, serviceId: string, change: ServiceChange): Service | null {
      const before = find(serviceId, businessId);
      return before && update(before, { ...before, ...change });
    },

    remove(businessId: string, serviceId: string): RemoveOutcome {
      if (!find(serviceId, businessId)) return "not_found";
      if (isInUse(businessId, serviceId)) return "in_use";
      remove(serviceId);
      return "removed";
    },
  };
}
