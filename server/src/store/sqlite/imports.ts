import type { Clock } from "../../rules/ports.js";
import type { Entry } from "../../rules/records.js";
import {
  type BusinessHead,
  type BusinessRecords,
  type ImportedAccount,
  type ImportOutcome,
  importPart,
  type KeyedEntry,
  type RecordKind,
} from "../port/imports.js";
import type { Part } from "../port/page.js";
import { importTooLate } from "../retention.js";
import type {
  prepareBusinesses,
  prepareKeys,
  prepareQueues,
  prepareServices,
} from "./businesses.js";
import type { Connection } from "./connection.js";
import type { Accounts } from "./owners.js";
import {
  appointments,
  audit,
  auditColumns,
  businesses as businessTable,
  entries,
  entryColumns,
  type KeptKey,
  keptKeyColumns,
  noKey,
  ownerColumns,
  owners,
  unnamed,
} from "./schema.js";

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
  readonly accounts: Accounts;
}

type Place = readonly (string | number)[];

/** Imports and exports whole businesses. */
export function prepareImports(db: Connection, parts: Parts, expiry: Clock) {
  const { businesses, keys, queues, services, accounts } = parts;
  const removeHead = removals.map((sql) => db.command(sql));
  const insertBusiness = businessTable.insert(db);
  const markUnnamed = unnamed.insert(
    db,
    "ON CONFLICT (business_id) DO UPDATE SET since = excluded.since",
  );
  const goOn = db.command("UPDATE unnamed SET since = ? WHERE business_id = ? AND since > 0");
  const name = db.command("DELETE FROM unnamed WHERE business_id = ?");
  const accountsOf = db.query<ImportedAccount[]>(`
    SELECT json_group_array(json_object('owner', ${owners.json("t", ownerColumns)},
      'link', iif(link_hash IS NULL, NULL, json_object('tokenHash', link_hash,
        'ownerId', id, 'expiresAt', link_expires_at))))
    FROM (SELECT * FROM owners WHERE business_id = ? ORDER BY created_at, id LIMIT -1) t`);
  const isMarked = db.query<[number]>("SELECT json_array(marked) FROM copy_target");
  const mark = db.command("INSERT INTO copy_target (marked) VALUES (1)");
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

  /** Reads a table part by part. `key` lists the columns that order it; `start` is before the first row. */
  function reader<Row>(table: string, key: string, start: Place, row: string) {
    const query = db.query<[place: Place, row: Row][]>(`
      SELECT json_group_array(json_array(json_array(${key}), ${row})) FROM (
        SELECT * FROM ${table} WHERE business_id = ? AND (${key}) > (${start.map(() => "?")})
        ORDER BY ${key} LIMIT ${importPart}) t`);
    return (businessId: string, after: string | null): Part<Row> => {
      const rows =
        query(businessId, ...(after === null ? start : (JSON.parse(after) as Place))) ?? [];
      const end = rows.length === importPart ? rows.at(-1) : undefined;
      return { items: rows.map(([, row]) => row), next: end ? JSON.stringify(end[0]) : null };
    };
  }

  const entryRow = `json_array(${entries.json("t", entryColumns)}, ${entries.json("t", keptKeyColumns)})`;
  const readEntries = reader<[Entry, KeptKey]>("entries", "date, place_in_day", ["", 0], entryRow);
  const read: {
    readonly [K in RecordKind]: (
      businessId: string,
      after: string | null,
    ) => Part<BusinessRecords[K]>;
  } = {
    entries(businessId, after) {
      const { items, next } = readEntries(businessId, after);
      return { items: items.map(([entry, kept]) => ({ entry, keyed: keyOf(kept) })), next };
    },
    appointments: reader(
      "appointments",
      "date, slot_time, id",
      ["", "", ""],
      appointments.json("t"),
    ),
    audit: reader("audit", "position", [0], audit.json("t", auditColumns)),
  };

  return {
    begin: (businessId: string): void => void markUnnamed({ businessId, since: expiry() }),

    add<K extends RecordKind>(
      businessId: string,
      kind: K,
      records: readonly BusinessRecords[K][],
      offset: number,
    ): void {
      if (businesses.get(businessId)) return; // a part that is stored again, after the commit
      if (goOn(expiry(), businessId) === 0) throw importTooLate();
      for (const [index, record] of records.entries()) add[kind](record, offset + index + 1);
    },

    commit(head: BusinessHead, { replace }: { readonly replace: boolean }): ImportOutcome {
      const { business } = head;
      if (goOn(expiry(), business.id) === 0) throw importTooLate();
      const before = businesses.bySlug(business.slug)?.id;
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
      for (const { owner, link } of head.accounts) accounts.keep(owner, link);
      return "imported";
    },

    head(businessId: string): BusinessHead | null {
      const business = businesses.get(businessId);
      return (
        business && {
          business,
          queues: queues.list(businessId),
          services: services.list(businessId),
          keys: keys.list(businessId),
          accounts: accountsOf(businessId) ?? [],
        }
      );
    },

    read: <K extends RecordKind>(
      businessId: string,
      kind: K,
      after: string | null,
    ): Part<BusinessRecords[K]> => read[kind](businessId, after),

    beginCopy(): boolean {
      if (isMarked()) return true;
      if (businesses.list().length > 0) return false;
      mark();
      return true;
    },

    endCopy(): void {
      unmark();
    },

    isCopying: (): boolean => isMarked() !== null,
  };
}

function keyOf({ key, fingerprint, receipt, keptUntil }: KeptKey): KeyedEntry["keyed"] {
  if (key === null || fingerprint === null || receipt === null || keptUntil === null) return null;
  return { key, fingerprint, receipt, keptUntil };
}
