import type { EntryStatus } from "@queue-api/contract";
import type { Response } from "express";
import { type Html, html } from "../../lib/html.js";
import { personMatcher } from "../../rules/person-search.js";
import { shownPhone } from "../../rules/phone.js";
import type { Entry } from "../../rules/records.js";
import { tokenLabel } from "../../rules/token.js";
import type { Store } from "../../store/store.js";
import { customerName } from "../customer-name.js";
import type { WallClock } from "../date-format.js";
import { longestValue } from "../longest-value.js";
import { at } from "../root.js";

const states: Readonly<Record<EntryStatus, string>> = {
  WAITING: "Waiting",
  IN_SERVICE: "In service",
  COMPLETED: "Completed",
  CANCELED: "Canceled",
  NO_SHOW: "No-show",
};

/** The name of an entry's state in the dashboard. */
export function stateName({ status }: Entry): string {
  return states[status];
}

/** Entries that one step reads. Other steps of the store run in between. */
const step = 500;

/** How many people one list shows. */
const most = 50;

const ended: readonly EntryStatus[] = ["COMPLETED", "CANCELED", "NO_SHOW"];

/** People of a day, and whether there are more than are listed. */
export interface People {
  readonly entries: readonly Entry[];
  readonly more: boolean;
}

/** The people of a day, in any status, whose token, name or phone number matches the search text. */
export async function findPeople(
  store: Pick<Store, "queues" | "entries">,
  businessId: string,
  date: string,
  typed: string,
  gone: AbortSignal,
): Promise<People> {
  const matches = personMatcher(typed);
  if (matches === null) return { entries: [], more: false };
  const entries: Entry[] = [];
  for (const queue of await store.queues.list(businessId)) {
    for await (const entry of entriesOf(store, businessId, queue.id, date, gone)) {
      if (!matches(entry)) continue;
      if (entries.length === most) return { entries, more: true };
      entries.push(entry);
    }
  }
  return { entries, more: false };
}

/** The people who have left one queue today, the latest token first. */
export async function endedPeople(
  store: Pick<Store, "entries">,
  businessId: string,
  queueId: string,
  date: string,
  gone: AbortSignal,
): Promise<People> {
  const latest: Entry[] = [];
  let more = false;
  for await (const entry of entriesOf(store, businessId, queueId, date, gone)) {
    if (!ended.includes(entry.status)) continue;
    latest.push(entry);
    if (latest.length <= most) continue;
    latest.shift();
    more = true;
  }
  return { entries: latest.reverse(), more };
}

/** A queue's entries of a day in token order. A queue that does not exist has none. */
async function* entriesOf(
  store: Pick<Store, "entries">,
  businessId: string,
  queueId: string,
  date: string,
  gone: AbortSignal,
): AsyncIterable<Entry> {
  let after: string | null = null;
  for (;;) {
    gone.throwIfAborted();
    const page = await store.entries.page(businessId, queueId, date, null, { limit: step, after });
    if (typeof page === "string") return;
    for (const { entry } of page.items) yield entry;
    after = page.items.at(-1)?.entry.id ?? null;
    if (!page.more) return;
  }
}

/** A list of people, each linked to their page. `queues`: names by id, to show each person's queue. */
export function peopleList(
  res: Response,
  { entries, more }: People,
  clock: WallClock,
  queues: ReadonlyMap<string, string> | null,
): Html {
  const rows = entries.map((entry) => {
    const { id, queueId, issuedAt } = entry;
    const facts = [
      queues?.get(queueId) ?? null,
      stateName(entry),
      `came ${clock.time(issuedAt)}`,
      shownPhone(entry),
    ].filter((fact) => fact !== null);
    return html`<li><a class="who" href="${at(res, `/board/people/${id}`)}"><b class="token">${tokenLabel(entry)}</b> <span class="name">${customerName(entry.customerName)}</span><span class="soft">${facts.join(" · ")}</span></a></li>
`;
  });
  return html`<ul class="found">
${rows}</ul>${more && html`<p class="soft">There are more. Type more of the name or the number.</p>`}`;
}

/** The search box for all people of today. */
export function findForm(res: Response, typed: string): Html {
  return html`<form class="find" role="search" method="get" action="${at(res, "/board/find")}"><input id="find" type="search" name="q" value="${typed}" maxlength="${longestValue}" placeholder="Find a token, name or phone" aria-label="Find a token, name or phone number of today" aria-keyshortcuts="/" autocomplete="off"></form>
`;
}
