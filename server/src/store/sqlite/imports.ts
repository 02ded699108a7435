import type { Clock } from "../../rules/ports.js";
import type { Entry } from "../../rules/records.js";
import { importTooLate } from "../errors.js";
import type { BusinessRecords, ImportStore, RecordKind } from "../port/imports.js";
import type { Part } from "../port/page.js";
import type {
  prepareBusinesses,
  prepareKeys,
  prepareQueues,
  prepareServices,
} from "./businesses.js";
import type { Connection } from "./connection.js";
import type { prepareAccounts } from "./owners.js";
import {
  appointments,
  audit,
  auditRow,
  businesses as businessTable,
  entries,
  type KeptKey,
  noKey,
  unnamed,
} from "./schema.js";
import type { Steps } from "./steps.js";

/** Deletes the head of a business. Its records stay, and no business names them. */
const removals = [
  "DELETE FROM owner_sessions WHERE owner_id IN (SELECT id FROM owners WHERE business_id = ?)",
  ...["owners", "api_keys", "services", "queues"].map(
    (table) => `DELETE FROM ${table} WHERE business_id = ?`,
  ),
  "DELETE FROM businesses WHERE id = ?",
];

interface Parts {
  readonly businesses: ReturnType<typeof prepareBusinesses>;
  readonly keys: ReturnType<typeof prepareKeys>;
  readonly queues: ReturnType<typeof prepareQueues>;
  readonly services: ReturnType<typeof prepareServices>;
  readonly accounts: ReturnType<typeof prepareAccounts>;
}

/** Imports and exports whole businesses. */
export function prepareImports(db: Connection, parts: Parts, expiry: Clock): Steps<ImportStore> {
  const { businesses, keys, queues, services, accounts } = parts;
  const removeHead = removals.map((sql) => db.command(sql));
  const insertBusiness = businessTable.insert(db);
  const markUnnamed = unnamed.insert(
    db,
    "ON CONFLICT (business_id) DO UPDATE SET since = excluded.since",
  );
  const goOn = db.command("UPDATE unnamed SET since = ? WHERE business_id = ? AND since > 0");
  const name = db.command("DELETE FROM unnamed WHERE business_id = ?");
  const isMarked = db.query<[number]>("SELECT json_array(marked) FROM copy_target");
  const mark = db.command("INSERT INTO copy_target (marked) VALUES (1) ON CONFLICT DO NOTHING");
  const unmark = db.command("DELETE FROM copy_target");

  const insertEntry = entries.insert(db, "ON CONFLICT (id) DO NOTHING");
  const insertAppointment = appointments.insert(db, "ON CONFLICT (id) DO NOTHING");
  const insertAudit = audit.insert(db, "ON CONFLICT (business_id, position) DO NOTHING");
  const add: {
    readonly [K in RecordKind]: (record: BusinessRecords[K], position: number) => boolean;
  } = {
    entries: ({ entry, keyed }) => insertEntry({ ...entry, ...(keyed ?? noKey) }),
    appointments: (appointment) => insertAppointment(appointment),
    audit: (row, position) => insertAudit({ ...row, position, sumName: null }),
  };

  const readEntries = entries.parts(db, ["date", "placeInDay"]);
  const readAppointments = appointments.parts(db, ["date", "slotTime", "id"]);
  const readAudit = audit.parts(db, ["position"]);
  const read: {
    readonly [K in RecordKind]: (
      businessId: string,
      after: string | null,
    ) => Part<BusinessRecords[K]>;
  } = {
    entries(businessId, after) {
      const { items, next } = readEntries(businessId, after ?? '["", 0]');
      return { items: items.map(keyedEntry), next };
    },
    appointments: (businessId, after) => readAppointments(businessId, after ?? '["", "", ""]'),
    audit(businessId, after) {
      const { items, next } = readAudit(businessId, after ?? "[0]");
      return { items: items.map(auditRow), next };
    },
  };

  return {
    begin: (businessId) => void markUnnamed({ businessId, since: expiry() }),

    add(businessId, kind, records, offset) {
      if (businesses.find("id", businessId)) return; // a part that is stored again, after the commit
      if (goOn(expiry(), businessId) === 0) throw importTooLate();
      const addOne: (record: never, position: number) => boolean = add[kind];
      for (const [at, record] of records.entries()) addOne(record as never, offset + at + 1);
    },

    commit(head, { replace }) {
      const { business } = head;
      if (goOn(expiry(), business.id) === 0) throw importTooLate();
      const before = businesses.find("slug", business.slug)?.id;
      if (before !== undefined && !replace) return "slug_exists";
      if (before !== undefined) {
        for (const remove of removeHead) remove(before);
        markUnnamed({ businessId: before, since: 0 });
      }
      name(business.id);
      insertBusiness(business);
      for (const queue of head.queues) queues.add(business.id, queue);
      for (const service of head.services) services.add(business.id, service);
      for (const key of head.keys) keys.keep(key);
      for (const account of head.accounts) accounts.add(business.id, account);
      return "imported";
    },

    head(businessId) {
      const business = businesses.find("id", businessId);
      if (!business) return null;
      return {
        business,
        queues: queues.list(businessId),
        services: services.list(businessId),
        keys: keys.list(businessId),
        accounts: accounts.list(businessId),
      };
    },

    read: (businessId, kind, after) => read[kind](businessId, after),

    markCopying: (isCopying) => void (isCopying ? mark() : unmark()),
    isCopying: () => isMarked() !== null,
  };
}

function keyedEntry(row: Entry & KeptKey): BusinessRecords["entries"] {
  const { key, fingerprint, receipt, keptUntil, ...entry } = row;
  const isHeld = key !== null && fingerprint !== null && receipt !== null && keptUntil !== null;
  return { entry, keyed: isHeld ? { key, fingerprint, receipt, keptUntil } : null };
}
