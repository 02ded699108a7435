import type { Entry } from "../../rules/records.js";
import type { BusinessImport, ImportOptions, ImportOutcome } from "../port/businesses.js";
import type { Appointments } from "./appointments.js";
import type { Connection } from "./connection.js";
import type { Keys } from "./keys.js";
import type { Queues } from "./queues.js";
import { entryRow, insertEntryInto } from "./records.js";
import type { Services } from "./services.js";

/** Deletes all records of a business. Blocks are deleted before entries, and lines after them. */
const removals = [
  "DELETE FROM line_blocks WHERE line_id IN (SELECT id FROM lines WHERE business_id = ?)",
  "DELETE FROM entries WHERE line_id IN (SELECT id FROM lines WHERE business_id = ?)",
  "DELETE FROM lines WHERE business_id = ?",
  "DELETE FROM key_windows WHERE key_id IN (SELECT id FROM api_keys WHERE business_id = ?)",
  "DELETE FROM owner_sessions WHERE owner_id IN (SELECT id FROM owners WHERE business_id = ?)",
  ...["owners", "api_keys", "services", "queues", "appointments", "idempotency", "audit"].map(
    (table) => `DELETE FROM ${table} WHERE business_id = ?`,
  ),
  "DELETE FROM businesses WHERE id = ?",
];

/** Thrown to roll back the whole step. */
export class SlugTaken extends Error {
  constructor(readonly slug: string) {
    super("a business of that slug exists");
  }
}

interface Parts {
  readonly keys: Keys;
  readonly queues: Queues;
  readonly services: Services;
  readonly appointments: Appointments;
}

/** Writes whole businesses. */
export function prepareImport(db: Connection, { keys, queues, services, appointments }: Parts) {
  const idOfSlug = db.query<[id: string]>("SELECT json_array(id) FROM businesses WHERE slug = ?");
  const boardRevision = db.query<[revision: number]>(
    "SELECT json_array(board_revision) FROM businesses WHERE id = ?",
  );
  const removeParts = removals.map((sql) => db.command(sql));
  const insertBusiness = db.command(`
    INSERT INTO businesses
      (id, slug, name, category, timezone, api_access, daily_token_limit, sandbox, long_wait_minutes,
       display_hash, board_revision)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const openLine = db.query<[id: number]>(
    "INSERT INTO lines (business_id, queue_id, date) VALUES (?, ?, ?) RETURNING json_array(id)",
  );
  const insertEntry = db.command(insertEntryInto("?"));

  /** The ids of a business's lines. Each line is created on first use. */
  function linesOf(businessId: string): (entry: Entry) => number {
    const lines = new Map<string, number>();
    return ({ queueId, date }) => {
      const place = `${queueId} ${date}`;
      const known = lines.get(place);
      if (known !== undefined) return known;
      const [made] = openLine(businessId, queueId, date) ?? [];
      if (made === undefined) throw new Error("the line of a new day was not made");
      lines.set(place, made);
      return made;
    };
  }

  function write(part: BusinessImport, revision: number): void {
    const { id, slug, name, category, timezone, apiAccess, dailyTokenLimit } = part.business;
    const { sandbox, longWaitMinutes, displayHash } = part.business;
    const settings = [Number(apiAccess), dailyTokenLimit, Number(sandbox)] as const;
    const desk = [longWaitMinutes, displayHash] as const;
    insertBusiness(id, slug, name, category, timezone, ...settings, ...desk, revision);
    for (const key of part.keys) keys.keep(key);
    for (const service of part.services) services.add(id, service);
    for (const queue of part.queues) queues.add(id, queue);
    const lineOf = linesOf(id);
    for (const entry of part.entries) {
      insertEntry(lineOf(entry), ...entryRow(entry), null);
    }
    for (const appointment of part.appointments) {
      appointments.add(id, appointment);
    }
  }

  /** @throws SlugTaken, or the error of a statement; the caller must then roll back the step. */
  return (imports: readonly BusinessImport[], { replace }: ImportOptions): ImportOutcome => {
    for (const part of imports) {
      const [before] = idOfSlug(part.business.slug) ?? [];
      if (before !== undefined && !replace) throw new SlugTaken(part.business.slug);
      // The board's version continues, so that the new data never has a version of the old data.
      const [revision = -1] = boardRevision(part.business.id) ?? [];
      if (before !== undefined) for (const remove of removeParts) remove(before);
      write(part, revision + 1);
    }
    return { outcome: "imported" };
  };
}
