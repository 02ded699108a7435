import type { Dump, Kept, Kind } from "../kept.js";
import type { Part } from "../port/page.js";
import type { Connection } from "./connection.js";
import {
  type AppointmentRow,
  type AuditColumns,
  appointmentColumns,
  auditColumns,
  type BusinessRow,
  businessColumns,
  type EntryPlace,
  type EntryRow,
  entryColumns,
  type KeyInUseRow,
  keyInUseColumns,
  type OwnerRow,
  ownerColumns,
  placeColumns,
  type QueueRow,
  queueColumns,
  readAppointment,
  readAuditRow,
  readBusiness,
  readEntry,
  readKeyInUse,
  readOwner,
  readQueue,
  readService,
  type ServiceRow,
  serviceColumns,
} from "./records.js";

const step = 1_000;

/** A row with its place in its table, as a list of the columns of the key. */
type Placed<Row> = [place: (string | number)[], row: Row];

type LinkRow = [tokenHash: string | null, expiresAt: number | null];

type IdempotencyRow = [
  businessId: string,
  key: string,
  fingerprint: string,
  claimId: string,
  owner: string,
  leaseUntil: number,
  receipt: string | null,
  keptUntil: number,
];

/** Reads whole tables, in the order of their keys. */
export function prepareDump(db: Connection): Dump {
  /** `key` lists the columns that order the reading; `start` is before the first row. */
  function table<K extends Kind, Row>(
    name: string,
    key: readonly string[],
    start: readonly (string | number)[],
    columns: (row: string) => string,
    read: (row: Row) => Kept[K],
  ): (after: string | null) => Part<Kept[K]> {
    const places = key.map((column) => `t.${column}`).join(", ");
    const query = db.query<Placed<Row>[]>(`
      SELECT json_group_array(json_array(json_array(${places}), json_array(${columns("t")})))
      FROM (SELECT * FROM ${name} WHERE (${key}) > (${key.map(() => "?")})
            ORDER BY ${key} LIMIT ${step}) t`);
    return (after) => {
      const rows = query(...(after === null ? start : (JSON.parse(after) as typeof start))) ?? [];
      const last = rows.at(-1);
      const items = rows.map(([, row]) => read(row));
      return { items, next: last && rows.length === step ? JSON.stringify(last[0]) : null };
    };
  }

  const position = ["position"];
  const id = ["id"];
  const entryRow = (e: string) => `json_array(${entryColumns(e)}),
    (SELECT json_array(${placeColumns("l")}) FROM lines l WHERE l.id = ${e}.line_id), ${e}.claim_id`;
  const idempotencyRow = (
    r: string,
  ) => `${r}.business_id, ${r}.key, ${r}.fingerprint, ${r}.claim_id,
    ${r}.owner, ${r}.lease_until,
    ${r}.receipt, ${r}.kept_until`;

  return {
    businesses: table<"businesses", BusinessRow>(
      "businesses",
      position,
      [0],
      businessColumns,
      readBusiness,
    ),
    services: table<"services", ServiceRow>("services", position, [0], serviceColumns, readService),
    queues: table<"queues", QueueRow>("queues", position, [0], queueColumns, readQueue),
    keys: table<"keys", KeyInUseRow>("api_keys", id, [""], keyInUseColumns, readKeyInUse),
    owners: table<"owners", [OwnerRow, LinkRow]>(
      "owners",
      id,
      [""],
      (o) => `json_array(${ownerColumns(o)}), json_array(${o}.link_hash, ${o}.link_expires_at)`,
      ([owner, [tokenHash, expiresAt]]) => {
        const link = tokenHash === null || expiresAt === null ? null : { tokenHash, expiresAt };
        return { ...readOwner(owner), link };
      },
    ),
    entries: table<"entries", [EntryRow, EntryPlace, claimId: string | null]>(
      "entries",
      ["line_id", "token_number"],
      [0, -1],
      entryRow,
      ([entry, place, claimId]) => ({ ...readEntry(entry, place), claimId }),
    ),
    appointments: table<"appointments", AppointmentRow>(
      "appointments",
      id,
      [""],
      appointmentColumns,
      readAppointment,
    ),
    idempotency: table<"idempotency", IdempotencyRow>(
      "idempotency",
      ["business_id", "key"],
      ["", ""],
      idempotencyRow,
      ([businessId, key, fingerprint, claimId, owner, leaseUntil, receipt, keptUntil]) => ({
        ...{ businessId, key, fingerprint, claimId, owner, leaseUntil, receipt, keptUntil },
      }),
    ),
    audit: table<"audit", AuditColumns>("audit", position, [0], auditColumns, readAuditRow),
  };
}
