import type { EntryStatus } from "@queue-api/contract";
import type { Response } from "express";
import { type Html, html } from "../../lib/html.js";
import { everyPage } from "../../operations/every-page.js";
import { addDays, businessDay } from "../../rules/business-day.js";
import { personMatcher } from "../../rules/person-search.js";
import { formatPhone } from "../../rules/phone.js";
import type { Entry, Queue } from "../../rules/records.js";
import { tokenLabel } from "../../rules/token.js";
import { customerName } from "../customer-name.js";
import { dayInWords, wallClock } from "../date-format.js";
import type { View } from "../layout.js";
import { maxValueLength } from "../max-value-length.js";
import { abortSignalOf, orNotFound } from "../page-error.js";
import { dashboardPath } from "../request.js";
import type { Visit } from "../visit.js";

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

/** Entries that one read of the store returns. Other requests run between two of them. */
const batchSize = 500;

/** How many people one list shows. */
const maxShown = 50;

const ended: readonly EntryStatus[] = ["COMPLETED", "CANCELED", "NO_SHOW"];

/** `GET /board/find?q=`: the people of today who match the search text, including those who have left. */
export async function showFound(visit: Visit): Promise<View> {
  const { req, res, store, business } = visit;
  const typed = typeof req.query.q === "string" ? req.query.q : "";
  const queues = await store.queues.list(business.id);
  const names = new Map(queues.map(({ id, name }) => [id, name]));
  const matches = personMatcher(typed);
  const entries: Entry[] = [];
  for await (const entry of matches === null ? [] : peopleOf(visit, queues)) {
    if (matches?.(entry)) entries.push(entry);
    if (entries.length > maxShown) break;
  }
  const more = "There are more. Type more of the name or the number.";
  const list = peopleList(visit, entries, { none: "No customer matches today.", more, names });
  return page(visit, "Find a person", list, findForm(res, typed));
}

/** `GET /board/ended/:id`: the people who have left a queue today, the latest token first. */
export async function showEnded(visit: Visit): Promise<View> {
  const { store, business, id } = visit;
  const queue = orNotFound((await store.queues.list(business.id)).find((one) => one.id === id));
  const latest: Entry[] = [];
  for await (const entry of peopleOf(visit, [queue])) {
    if (ended.includes(entry.status)) latest.push(entry);
    if (latest.length > maxShown + 1) latest.shift();
  }
  const none = "No customer has left this queue today.";
  const more = "There are more. Use the search for the others.";
  const list = peopleList(visit, latest.reverse(), { none, more });
  return page(visit, `${queue.name}, ended today`, list);
}

/** `GET /board/earlier`: the people of earlier days who still wait or are in service. */
export async function showEarlier(visit: Visit): Promise<View> {
  const { res, store, business } = visit;
  const queues = await store.queues.list(business.id);
  const names = new Map(queues.map(({ id, name }) => [id, name]));
  const left = await notEnded(visit);
  const more = "There are more. End some of these to see the rest.";
  const list = peopleList(visit, left, { none: nobodyLeft, more, names });
  const end = html`${left.length > 0 && html`<p>${endLink(res)}</p>`}`;
  return page(visit, "Not ended on earlier days", list, end);
}

export const nobodyLeft = "Everybody of earlier days is ended.";

/** Says how many people of earlier days are not ended, and links to them; empty if there is none. */
export async function leftEarlier(visit: Visit): Promise<Html> {
  const { length } = await notEnded(visit);
  if (length === 0) return html``;
  const are = length === 1 ? "is" : "are";
  return html`<div class="flash warning"><p>${inPeople(length)} of earlier days ${are} not ended.</p><div class="actions"><a class="button" href="${dashboardPath(visit.res, "/board/earlier")}">List them</a>${endLink(visit.res)}</div></div>
`;
}

function endLink(res: Response): Html {
  return html`<a class="button danger" href="${dashboardPath(res, "/board/earlier/end")}">End them all…</a>`;
}

/** How many days before today are looked at: as long as a business may be closed for a holiday. */
const earlierDays = 14;

/** Far more people than a business leaves on a day. */
const maxNotEnded = 2_000;

/** The people of earlier days who still wait or are in service. */
export function notEnded(visit: Visit): Promise<Entry[]> {
  const { store, business } = visit;
  const date = today(visit);
  const days = Array.from({ length: earlierDays }, (_, ago) => addDays(date, -1 - ago));
  return store.boards.notEnded(business.id, days, maxNotEnded);
}

/** A number of people in words. */
export function inPeople(count: number): string {
  return count === 1 ? "1 person" : `${count} people`;
}

export function today({ store, business }: Visit): string {
  return businessDay(store.now(), business.timezone);
}

function page({ res }: Visit, title: string, list: Html, above?: Html): View {
  const home = html`<p><a class="button" href="${dashboardPath(res, "")}">To the board</a></p>`;
  return { title, body: html`${above}<div class="card" id="people">${list}</div>${home}` };
}

/** The people of today in these queues, each queue in token order. */
async function* peopleOf(visit: Visit, queues: readonly Queue[]): AsyncIterable<Entry> {
  const { res, store, business } = visit;
  const date = today(visit);
  const gone = abortSignalOf(res);
  for (const { id } of queues) {
    const pages = everyPage(async (after) => {
      gone.throwIfAborted();
      const page = await store.entries.page(business.id, id, date, { limit: batchSize, after });
      return typeof page === "string" ? { items: [], nextCursor: null } : page; // the queue is gone
    });
    for await (const items of pages) for (const { entry } of items) yield entry;
  }
}

/** The texts of a list of people. */
interface ListTexts {
  /** If there is nobody. */
  readonly none: string;
  /** If there are more people than one list shows. */
  readonly more: string;
  /** The names of the queues by id, to show each person's queue. */
  readonly names?: ReadonlyMap<string, string>;
}

/** A list of people, each linked to their page. */
function peopleList(
  visit: Visit,
  entries: readonly Entry[],
  { none, more, names }: ListTexts,
): Html {
  if (entries.length === 0) return html`<p>${none}</p>`;
  const { res, business } = visit;
  const { time } = wallClock(business);
  const ofToday = today(visit);
  const rows = entries.slice(0, maxShown).map((entry) => {
    const { id, queueId, date, issuedAt } = entry;
    const facts = [
      date === ofToday ? null : dayInWords(date),
      names?.get(queueId) ?? null,
      stateName(entry),
      `came ${time(issuedAt)}`,
      formatPhone(entry),
    ].filter((fact) => fact !== null);
    return html`<li><a class="who" href="${dashboardPath(res, `/board/people/${id}`)}"><b class="token">${tokenLabel(entry)}</b> <span class="name">${customerName(entry.customerName)}</span><span class="soft">${facts.join(" · ")}</span></a></li>
`;
  });
  return html`<ul class="found">
${rows}</ul>${entries.length > maxShown && html`<p class="soft">${more}</p>`}`;
}

/** The search box for all people of today. */
export function findForm(res: Response, typed: string): Html {
  return html`<form class="find" role="search" method="get" action="${dashboardPath(res, "/board/find")}"><input id="find" type="search" name="q" value="${typed}" maxlength="${maxValueLength}" placeholder="Find a token, name or phone" aria-label="Find a token, name or phone number of today" aria-keyshortcuts="/" autocomplete="off"></form>
`;
}
