import { id } from "@queue-api/contract";
import type { Response } from "express";
import { z } from "zod";
import { type Html, html } from "../lib/html.js";
import { auditRows, searchReach } from "../owner/audit.js";
import { keptDay } from "../owner/kept-day.js";
import { type AuditFilter, statusRange, sumOf } from "../rules/audit.js";
import { addDays, businessDay, startOfDay } from "../rules/business-day.js";
import type { Page } from "../rules/list.js";
import type { AuditRow, Business } from "../rules/records.js";
import { type CsvColumns, sendCsv } from "./csv.js";
import { wallClock } from "./date-format.js";
import {
  asTextOrNull,
  checkTyped,
  type FieldReading,
  type FormState,
  inputs,
  inRow,
  type Typed,
} from "./forms.js";
import type { View } from "./layout.js";
import { PageError, PageNotFound } from "./page-error.js";
import { dashboardPath } from "./request.js";
import { stackTable } from "./tables.js";
import type { Visit } from "./visit.js";

/** The query parameters that select rows. All are optional. */
const askedRows = z.object({
  key: id.nullable(),
  status: z
    .string()
    .refine(
      (named) => statusRange(named) !== null,
      "must be a status like 404, or a class like 4xx",
    )
    .nullable(),
  path: z.string().startsWith("/", "must begin with /").max(200, "is too long").nullable(),
  from: keptDay.nullable(),
  to: keptDay.nullable(),
});

type AskedRows = z.output<typeof askedRows>;

const fields: Readonly<Record<keyof AskedRows, FieldReading>> = {
  key: { label: "Key or account", read: asTextOrNull },
  status: { label: "Status", read: asTextOrNull },
  path: { label: "Path", read: asTextOrNull },
  from: { label: "From", read: asTextOrNull },
  to: { label: "To", read: asTextOrNull },
};

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

/** The keys and accounts that made requests, by which the log can be filtered. */
async function callersOf({ store, business }: Visit) {
  const [keys, accounts] = await Promise.all([
    store.keys.list(business.id),
    store.accounts.list(business.id),
  ]);
  return { keys, accounts };
}

type Callers = Awaited<ReturnType<typeof callersOf>>;

/** `GET /audit`: the API requests, newest first. The URL selects the rows. */
export async function showAudit(visit: Visit): Promise<View> {
  const { req, res, store, business } = visit;
  const typed = req.query as Typed;
  const callers = await callersOf(visit);
  const read = checkTyped(typed, askedRows, fields);
  if (!read.ok) return { title, body: frame(res, callers, read.state, html``), status: 422 };
  const asked = read.value;
  const after = typeof req.query.after === "string" ? req.query.after : null;
  const part = { limit: rowsAPage, after };
  const found = await store.audit.page(business.id, filterOf(asked, business), part, searchReach);
  if (found === "cursor_unknown") throw new PageNotFound();
  const today = businessDay(store.now(), business.timezone);
  const links = html`<p class="actions"><a class="button" href="${dashboardPath(res, `/audit${queryOf({ ...asked, from: today, to: today })}`)}">Today</a><a class="button" href="${dashboardPath(res, `/audit.csv${queryOf(asked)}`)}" download>Download as CSV</a></p>
`;
  const isEmpty = found.items.length === 0;
  const rows = isEmpty ? nothing(res, asked, found) : results(visit, callers, found);
  const body = html`${links}${rows}${pager(res, asked, after, found)}`;
  return { title, body: frame(res, callers, { typed, errors: {} }, body) };
}

function frame(res: Response, { keys, accounts }: Callers, state: FormState, found: Html): Html {
  const here = dashboardPath(res, "/audit");
  const { text, select } = inputs(state, fields);
  const callers = [
    ...keys.toReversed().map(({ id, name }) => ({ value: id, label: name })),
    ...accounts.map(({ id, email }) => ({ value: id, label: email })),
  ];
  const asked = asTextOrNull(state.typed.key);
  const isRemoved = asked !== null && !callers.some(({ value }) => value === asked);
  const options = [
    { value: "", label: "All keys and accounts" },
    ...callers,
    ...(isRemoved ? [{ value: asked, label: asked }] : []),
  ];
  const form = inRow(
    select({ name: "key", options }),
    text({ name: "status", attributes: html`list="statuses" placeholder="any"` }),
    text({ name: "path", label: "Path begins with", attributes: html`placeholder="/v1/"` }),
    text({ name: "from", type: "date" }),
    text({ name: "to", type: "date" }),
  );
  return html`<div id="audit" data-live>
<form class="card filters" method="get" action="${here}">
${form}<datalist id="statuses"><option value="2xx"><option value="4xx"><option value="429"><option value="5xx"></datalist>
<div class="actions"><button class="primary">Show</button><a class="button quiet" href="${here}">Show all</a></div>
</form>
<div aria-live="polite">
${found}</div>
</div>
`;
}

function results({ res, business }: Visit, { keys }: Callers, { items }: Page<AuditRow>): Html {
  const { second, zone } = wallClock(business);
  const names = new Map(keys.map(({ id, name }) => [id, name]));
  const caller = ({ account, keyId }: AuditRow) => {
    if (account !== null) return html`<bdi>${account}</bdi>`;
    const name = names.get(keyId);
    if (name === undefined) return html`<code>${keyId}</code>`;
    return html`<a href="${dashboardPath(res, `/keys/${keyId}`)}">${name}</a>`;
  };
  const row = (audited: AuditRow) => {
    const { at: time, method, path, status, ip, requestId, sum } = audited;
    const cells = {
      Time: html`${second(time)}${sum && html` to ${second(sum.lastAt)}`}`,
      Request: html`${sum && html`<strong>${sum.count} requests,</strong> the last: `}<code>${method} ${path}</code>`,
      Status: html`<span class="badge ${kindOf(status)}">${status}</span>`,
      "Key or account": caller(audited),
      Address: ip,
      "Request id": html`<code>${requestId}</code>`,
    };
    return { cells };
  };
  const table = stackTable({
    caption: `Newest first, by the clock of ${zone}. Kept for 90 days. Refused requests beyond the limit of a key are shown together, by the minute.`,
    isCaptionShown: true,
    rows: items.map(row),
  });
  return html`<div class="card scrolls" tabindex="0" role="region" aria-label="Requests">${table}</div>
`;
}

function kindOf(status: number): string {
  if (status < 400) return "good";
  return status < 500 ? "warn" : "bad";
}

function nothing(res: Response, asked: AskedRows, { nextCursor: next }: Page<AuditRow>): Html {
  if (next !== null) {
    return html`<div class="empty"><p>No matches so far. You can search older requests too.</p></div>
`;
  }
  const all = Object.values(asked).every((value) => value === null);
  return all
    ? html`<div class="empty">
<p>There are no requests yet. This page lists every request with a valid key and every change in this dashboard, with its status and address, and without its content.</p>
<p><a class="button" href="${dashboardPath(res, "/keys")}">Make a key</a></p>
</div>
`
    : html`<div class="empty">
<p>No request matches. Requests are kept for 90 days.</p>
<p><a class="button" href="${dashboardPath(res, "/audit")}">Show all</a></p>
</div>
`;
}

function pager(
  res: Response,
  asked: AskedRows,
  after: string | null,
  { nextCursor: next }: Page<AuditRow>,
): Html {
  if (after === null && next === null) return html``;
  const to = (more: Record<string, string>) => dashboardPath(res, `/audit${queryOf(asked, more)}`);
  return html`<nav class="actions" aria-label="Parts of the log">
${after !== null && html`<a class="button" href="${to({})}">Newest</a>`}${next !== null && html`<a class="button" rel="next" href="${to({ after: next })}">Older</a>`}</nav>
`;
}

/** The columns of the file. `names`: of the keys. */
const columnsOf = (names: ReadonlyMap<string, string>): CsvColumns<AuditRow> => ({
  time: ({ at }) => new Date(at).toISOString(),
  method: ({ method }) => method,
  path: ({ path }) => path,
  status: ({ status }) => status,
  key_id: ({ keyId }) => keyId,
  key_name: ({ keyId }) => names.get(keyId) ?? null,
  address: ({ ip }) => ip,
  request_id: ({ requestId }) => requestId,
  requests: (row) => sumOf(row).count,
  last_time: (row) => new Date(sumOf(row).lastAt).toISOString(),
  account: ({ account }) => account,
});

/** `GET /audit.csv`: every row that matches the query of the page, without a limit. Times are in UTC. */
export async function downloadAudit(visit: Visit): Promise<undefined> {
  const { req, res, store, business } = visit;
  const read = checkTyped(req.query as Typed, askedRows, fields);
  if (!read.ok) {
    const [advice = ""] = Object.values(read.state.errors);
    throw new PageError(422, "The filter is not valid", advice);
  }
  const keys = await store.keys.list(business.id);
  const names = new Map(keys.map(({ id, name }) => [id, name]));
  const today = businessDay(store.now(), business.timezone);
  const rows = auditRows(store, business.id, filterOf(read.value, business));
  await sendCsv(res, `audit-${business.slug}-${today}.csv`, columnsOf(names), rows);
}
