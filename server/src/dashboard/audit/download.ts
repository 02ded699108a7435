import type { RequestHandler } from "express";
import { auditRows } from "../../owner/audit.js";
import { type AuditFilter, sumOf } from "../../rules/audit.js";
import { businessDay } from "../../rules/business-day.js";
import type { Store } from "../../store/store.js";
import { type CsvCell, sendCsv } from "../csv.js";
import { PageNotFound, PageRefusal } from "../errors.js";
import type { Typed } from "../forms.js";
import type { DashboardDeps } from "../page.js";
import { signedIn } from "../signed-in.js";
import { filterOf, readFilter } from "./filter.js";

const headings = [
  "time",
  "method",
  "path",
  "status",
  "key_id",
  "key_name",
  "address",
  "request_id",
  "requests",
  "last_time",
  "account",
];

/** `GET /audit.csv`: every row that matches the query of the page, without a limit. Times are in UTC. */
export function downloadAudit({ store }: DashboardDeps): RequestHandler {
  return async (req, res) => {
    const { business } = signedIn(res);
    const read = readFilter(req.query as Typed);
    if (!read.ok) {
      const [advice = ""] = Object.values(read.state.errors);
      throw new PageRefusal(422, "The filter is not valid", advice);
    }
    const [keys, accounts] = await Promise.all([
      store.keys.list(business.id),
      store.accounts.list(business.id),
    ]);
    const names = new Map(keys.map(({ id, name }) => [id, name]));
    const { key } = read.value;
    const isKnown = key === null || names.has(key) || accounts.some(({ id }) => id === key);
    if (!isKnown) throw new PageNotFound();
    const today = businessDay(await store.now(), business.timezone);
    const filter = filterOf(read.value, business);
    const lines = linesOf(store, business.id, filter, names);
    await sendCsv(res, `audit-${business.slug}-${today}.csv`, headings, lines);
  };
}

async function* linesOf(
  store: Store,
  businessId: string,
  filter: AuditFilter,
  names: ReadonlyMap<string, string>,
): AsyncIterable<readonly CsvCell[][]> {
  for await (const rows of auditRows(store, businessId, filter)) {
    yield rows.map((row) => {
      const { at, method, path, status, keyId, account, ip, requestId } = row;
      const { count, lastAt } = sumOf(row);
      return [
        ...[new Date(at).toISOString(), method, path, status],
        ...[keyId, names.get(keyId) ?? "", ip, requestId],
        ...[count, new Date(lastAt).toISOString(), account ?? ""],
      ];
    });
  }
}
