import type { Business } from "../../rules/records.js";
import type { BusinessChange, OwnedKind } from "../port/businesses.js";
import type { Connection } from "./connection.js";
import { list } from "./list.js";
import { type BusinessRow, businessColumns, readBusiness } from "./records.js";

/** Businesses and their settings. */
export function prepareBusinesses(db: Connection) {
  const all = db.query<BusinessRow[]>(
    list(businessColumns, "businesses", "ORDER BY position LIMIT -1"),
  );
  const find = (column: "id" | "slug" | "display_hash") =>
    db.query<BusinessRow>(
      `SELECT json_array(${businessColumns("b")}) FROM businesses b WHERE b.${column} = ?`,
    );
  const findById = find("id");
  const findBySlug = find("slug");
  const findByDisplay = find("display_hash");
  const businessOf: Record<OwnedKind, (id: string) => [businessId: string] | null> = {
    key: db.query("SELECT json_array(business_id) FROM api_keys WHERE id = ?"),
    queue: db.query("SELECT json_array(business_id) FROM queues WHERE id = ?"),
    entry: db.query(
      "SELECT json_array(l.business_id) FROM entries e JOIN lines l ON l.id = e.line_id WHERE e.id = ?",
    ),
    appointment: db.query("SELECT json_array(business_id) FROM appointments WHERE id = ?"),
  };
  const update = db.command(`
    UPDATE businesses SET api_access = ?, daily_token_limit = ?, sandbox = ?, long_wait_minutes = ?,
      display_hash = ?
    WHERE id = ?`);

  function get(id: string): Business | null {
    const row = findById(id);
    return row && readBusiness(row);
  }

  return {
    list: (): Business[] => (all() ?? []).map(readBusiness),

    get,

    bySlug(slug: string): Business | null {
      const row = findBySlug(slug);
      return row && readBusiness(row);
    },

    byDisplay(displayHash: string): Business | null {
      const row = findByDisplay(displayHash);
      return row && readBusiness(row);
    },

    idOf: (kind: OwnedKind, id: string): string | null => businessOf[kind](id)?.[0] ?? null,

    change(id: string, change: BusinessChange): Business | null {
      const before = get(id);
      if (!before) return null;
      const after = { ...before, ...change };
      const { apiAccess, dailyTokenLimit, sandbox, longWaitMinutes, displayHash } = after;
      const flags = [Number(apiAccess), dailyTokenLimit, Number(sandbox)] as const;
      update(...flags, longWaitMinutes, displayHash, id);
      return after;
    },
  };
}
