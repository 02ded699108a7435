import { day as dayForm, id } from "@queue-api/contract";
import type { RequestHandler, Response } from "express";
import { z } from "zod";
import { type Html, html } from "../../lib/html.js";
import { auditRows, searchAudit } from "../../owner/audit.js";
import { type AuditFilter, statusRange, sumOf } from "../../rules/audit.js";
import { addDays, businessDay, startOfDay } from "../../rules/business-day.js";
import type { AuditRow, Business, KeyInUse, Owner } from "../../rules/records.js";
import type { AuditPage } from "../../store/port/requests.js";
import type { Store } from "../../store/store.js";
import { type CsvCell, sendCsv } from "../csv.js";
import { wallClock } from "../date-format.js";
import { PageNotFound, PageRefusal } from "../errors.js";
import {
  asTextOrNull,
  checkTyped,
  type FieldReading,
  type FormResult,
  type FormState,
  selectField,
  type Typed,
  textField,
} from "../forms.js";
import type { DashboardDeps, Page } from "../page.js";
import { at } from "../root.js";
import { signedIn } from "../signed-in.js";

/** The requests of programs to the API. */
export const audit: Page = {
  path: "/audit",
  title: "Audit log",
  addRoutes: (router, deps) => {
    router.get("/audit", showAudit(deps));
    router.get("/audit.csv", downloadAudit(deps));
  },
};

/** The query parameters that select rows. All are optional. */
const asked = z.object({
  key: id.nullable(),
  status: z
    .string()
    .refine(
      (named) => statusRange(named) !== null,
      "must be a status like 404, or a class like 4xx",
    )
    .nullable(),
  path: z.string().startsWith("/", "must begin with /").max(200, "is too long").nullable(),
  from: dayForm.nullable(),
  to: dayForm.nullable(),
});

type AskedRows = z.output<typeof asked>;

const fields: Readonly<Record<keyof AskedRows, FieldReading>> = {
  key: { label: "Key or account", read: asTextOrNull },
  status: { label: "Status", read: asTextOrNull },
  path: { label: "Path", read: asTextOrNull },
  from: { label: "From", read: asTextOrNull },
  to: { label: "To", read: asTextOrNull },
};

/** Reads the query of the page's URL. */
function readFilter(query: Typed): FormResult<AskedRows> {
  return checkTyped(query, asked, fields);
}

/** The filter of the requested rows, with days in the business's time zone. */
function filterOf({ key, status, path, from, to }: AskedRows, business: Business): AuditFilter {
  const { timezone } = business;
  return {
    keyId: key,
    status: status === null ? null : statusRange(status),
    pathPrefix: path,
    from: from === null ? null : startOfDay(from, timezone),
    until: to === null ? null : startOfDay(addDays(to, 1), timezone),
  };
}

/** The same selection as a URL query; `more` adds parameters. */
function queryOf(rows: AskedRows, more: Readonly<Record<string, string>> = {}): string {
  const given = Object.entries({ ...rows, ...more }).filter(
    (pair): pair is [string, string] => pair[1] !== null,
  );
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}

const title = "Audit log";
const rowsAPage = 50;

/** What the page shows: the form, and below it the rows or the reason why there are none. */
interface AuditView {
  readonly res: Response;
  readonly keys: readonly KeyInUse[];
  readonly accounts: readonly Owner[];
  readonly state: FormState;
}

/** `GET /audit`: the API requests, newest first. The URL selects the rows. */
function showAudit({ store, send }: DashboardDeps): RequestHandler {
  return async (req, res) => {
    const { business } = signedIn(res);
    const typed = req.query as Typed;
    const [keys, accounts, now] = await Promise.all([
      store.keys.list(business.id),
      store.accounts.list(business.id),
      store.now(),
    ]);
    const read = readFilter(typed);
    if (!read.ok) {
      const view = { res, keys, accounts, state: read.state };
      return send(req, res, { title, body: frame(view, html``), status: 422 });
    }
    const asked = read.value;
    const known = [...keys, ...accounts];
    if (asked.key !== null && !known.some(({ id }) => id === asked.key)) throw new PageNotFound();
    const after = typeof req.query.after === "string" ? req.query.after : null;
    const found = await searchAudit(store, business.id, filterOf(asked, business), {
      limit: rowsAPage,
      after,
    });
    if (found === "cursor_unknown") throw new PageNotFound();
    const view = { res, keys, accounts, state: { typed, errors: {} } };
    const today = businessDay(now, business.timezone);
    const links = html`<p class="actions"><a class="button" href="${at(res, `/audit${queryOf({ ...asked, from: today, to: today })}`)}">Today</a><a class="button" href="${at(res, `/audit.csv${queryOf(asked)}`)}" download>Download as CSV</a></p>
`;
    const body = html`${links}${results(view, asked, found)}${pager(res, asked, after, found)}`;
    send(req, res, { title, body: frame(view, body) });
  };
}

function frame({ res, keys, accounts, state }: AuditView, found: Html): Html {
  const here = at(res, "/audit");
  const options = [
    { value: "", label: "All keys and accounts" },
    ...keys.toReversed().map(({ id, name }) => ({ value: id, label: name })),
    ...accounts.map(({ id, email }) => ({ value: id, label: email })),
  ];
  const day = (name: "from" | "to", label: string) =>
    textField({ name, label, type: "date" }, state);
  return html`<div id="audit" data-live>
<form class="card filters" method="get" action="${here}">
<div class="fields">
${selectField({ name: "key", label: "Key or account", options }, state)}${textField({ name: "status", label: "Status", attributes: html`list="statuses" placeholder="any"` }, state)}${textField({ name: "path", label: "Path begins with", attributes: html`placeholder="/v1/"` }, state)}${day("from", "From")}${day("to", "To")}</div>
<datalist id="statuses"><option value="2xx"><option value="4xx"><option value="429"><option value="5xx"></datalist>
<div class="actions"><button class="primary">Show</button><a class="button quiet" href="${here}">Show all</a></div>
</form>
<div aria-live="polite">
${found}</div>
</div>
`;
}

function results({ res, keys }: AuditView, asked: AskedRows, { rows, next }: AuditPage): Html {
  if (rows.length === 0) return nothing(res, asked, next);
  const clock = wallClock(signedIn(res).business);
  const names = new Map(keys.map(({ id, name }) => [id, name]));
  const row = ({
    at: time,
    keyId,
    account,
    method,
    path,
    status,
    ip,
    requestId,
    sum,
  }: AuditRow) => html`<tr>
<th scope="row">${clock.second(time)}${sum && html` to ${clock.second(sum.lastAt)}`}</th>
<td data-label="Request">${sum && html`<strong>${sum.count} requests,</strong> the last: `}<code>${method} ${path}</code></td>
<td data-label="Status"><span class="badge ${kindOf(status)}">${status}</span></td>
<td data-label="Key or account">${account !== null ? html`<bdi>${account}</bdi>` : names.has(keyId) ? html`<a href="${at(res, `/keys/${keyId}`)}">${names.get(keyId)}</a>` : html`<code>${keyId}</code>`}</td>
<td data-label="Address">${ip}</td>
<td data-label="Request id"><code>${requestId}</code></td>
</tr>
`;
  return html`<div class="card scrolls" tabindex="0" role="region" aria-label="Requests"><table class="stacks">
<caption>Newest first, by the clock of ${clock.zone}. Kept for 90 days. Refused requests beyond the limit of a key are shown together, by the minute.</caption>
<thead><tr><th scope="col">Time</th><th scope="col">Request</th><th scope="col">Status</th><th scope="col">Key or account</th><th scope="col">Address</th><th scope="col">Request id</th></tr></thead>
<tbody>
${rows.map(row)}</tbody>
</table></div>
`;
}

function kindOf(status: number): string {
  if (status < 400) return "good";
  return status < 500 ? "warn" : "bad";
}

function nothing(res: Response, asked: AskedRows, next: string | null): Html {
  if (next !== null) {
    return html`<div class="empty"><p>No matches so far. You can search older requests too.</p></div>
`;
  }
  const all = Object.values(asked).every((value) => value === null);
  return all
    ? html`<div class="empty">
<p>There are no requests yet. This page lists every request with a valid key and every change in this dashboard, with its status and address, and without its content.</p>
<p><a class="button" href="${at(res, "/keys")}">Make a key</a></p>
</div>
`
    : html`<div class="empty">
<p>No request matches. Requests are kept for 90 days.</p>
<p><a class="button" href="${at(res, "/audit")}">Show all</a></p>
</div>
`;
}

function pager(res: Response, asked: AskedRows, after: string | null, { next }: AuditPage): Html {
  if (after === null && next === null) return html``;
  const to = (more: Record<string, string>) => at(res, `/audit${queryOf(asked, more)}`);
  return html`<nav class="actions" aria-label="Parts of the log">
${after !== null && html`<a class="button" href="${to({})}">Newest</a>`}${next !== null && html`<a class="button" rel="next" href="${to({ after: next })}">Older</a>`}</nav>
`;
}

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
function downloadAudit({ store }: DashboardDeps): RequestHandler {
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
