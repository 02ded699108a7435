import type { Connection } from "./connection.js";

/** What an owner sets for a whole business: access, the plan's limit, and whether it is a sandbox. */
export function prepareSettings(db: Connection) {
  const setApiAccess = db.command("UPDATE businesses SET api_access = ? WHERE id = ?");
  const setLimit = db.command("UPDATE businesses SET daily_token_limit = ? WHERE id = ?");
  const setSandbox = db.command("UPDATE businesses SET sandbox = ? WHERE id = ?");

  return {
    setApiAccess(businessId: string, on: boolean): void {
      setApiAccess(Number(on), businessId);
    },

    setDailyTokenLimit(businessId: string, limit: number | null): void {
      setLimit(limit, businessId);
    },

    setSandbox(businessId: string, on: boolean): void {
      setSandbox(Number(on), businessId);
    },
  };
}
