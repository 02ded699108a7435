import { day as dayFormat } from "@queue-api/contract";
import type { Request, Response } from "express";
import { z } from "zod";
import { type Html, html } from "../../lib/html.js";
import { type AppointmentWithEntry, isExpected } from "../../rules/appointment-status.js";
import { addDays, businessDay } from "../../rules/business-day.js";
import type { Page } from "../../rules/list.js";
import { customerMatcher } from "../../rules/person-search.js";
import { formatPhone } from "../../rules/phone.js";
import type { Appointment, Queue } from "../../rules/records.js";
import { tokenLabel } from "../../rules/token.js";
import { formToken } from "../accounts/form-token.js";
import { customerName } from "../customer-name.js";
import { dayInShort, dayInWords } from "../date-format.js";
import {
  asTextOrNull,
  checkTyped,
  type FormState,
  inputs,
  type Typed,
  untouchedForm,
} from "../forms.js";
import { liveSign, type View } from "../layout.js";
import { maxValueLength } from "../max-value-length.js";
import { abortSignalOf, PageNotFound } from "../page-error.js";
import { dashboardPath } from "../request.js";
import { targetField } from "../resource.js";
import { stackTable } from "../tables.js";
import type { Visit } from "../visit.js";
import { nextStatuses, statusBadge } from "./status-words.js";

/** Appointments on one page; a longer day continues on the next page. */
const maxAppointments = 100;

/** Reads the day that a URL may name; null if it names none. */
export function readDay(query: Request["query"]) {
  const fields = { date: { label: "Day", read: asTextOrNull } };
  return checkTyped(query as Typed, z.object({ date: dayFormat.nullable() }), fields);
}

/** The path of the list of a day. */
export function pathOfDay(date: string): string {
  return `/appointments?date=${date}`;
}

/** `GET /appointments?date=`: one day, by default today. */
export async function showDay(visit: Visit): Promise<View> {
  const { req, res, store, business } = visit;
  const today = businessDay(store.now(), business.timezone);
  const read = readDay(req.query);
  if (!read.ok) {
    const body = dayPicker(res, today, today, read.state);
    return { title: "Appointments", body, status: 422 };
  }
  const date = read.value.date ?? today;
  const after = typeof req.query.after === "string" ? req.query.after : null;
  const typed = typeof req.query.q === "string" ? req.query.q : "";
  const [{ items, nextCursor }, services, queues] = await Promise.all([
    pageOf(visit, date, after, customerMatcher(typed)),
    store.services.list(business.id),
    store.queues.list(business.id),
  ]);
  const context: DayContext = {
    services: new Map(services.map(({ id, name }) => [id, name])),
    // Tokens are issued for today only.
    queues: date === today ? queues.filter(({ isActive }) => isActive) : [],
    isLater: date > today,
  };
  const newOne = dashboardPath(res, `/appointments/new?date=${date}`);
  const actions = html`${searchForm(res, date, typed)}${liveSign}<a class="button primary" href="${newOne}">New appointment</a>
`;
  const none =
    typed !== ""
      ? html`<div class="empty"><p>No appointment of this day matches.</p></div>
`
      : html`<div class="empty">
<p>There are no appointments on this day.</p>
<p><a class="button" href="${newOne}">Make one</a></p>
</div>
`;
  const query = new URLSearchParams({ after: nextCursor ?? "", q: typed });
  const later = dashboardPath(res, `${pathOfDay(date)}&${query}`);
  const body = html`${dayPicker(res, date, today, untouchedForm)}<div id="day" data-live="3">
${items.length === 0 ? none : table(res, items, context)}${
  nextCursor !== null &&
  html`<p class="actions"><a class="button" href="${later}">Later appointments</a></p>
`
}</div>
`;
  return { title: `Appointments, ${dayInWords(date)}`, actions, body };
}

/** The appointments of a day, of which `matches` chooses some; null for all. */
async function pageOf(
  { res, store, business }: Visit,
  date: string,
  after: string | null,
  matches: ((appointment: Appointment) => boolean) | null,
): Promise<Page<AppointmentWithEntry>> {
  const gone = abortSignalOf(res);
  const found: AppointmentWithEntry[] = [];
  for (let from = after; ; ) {
    gone.throwIfAborted();
    const page = await store.appointments.page(business.id, date, {
      limit: maxAppointments,
      after: from,
    });
    if (page === "cursor_unknown") throw new PageNotFound();
    const { items, nextCursor } = page;
    found.push(...items.filter(({ appointment }) => matches === null || matches(appointment)));
    const isFull = matches === null || found.length >= maxAppointments;
    if (isFull || nextCursor === null) return { items: found, nextCursor };
    from = nextCursor;
  }
}

/** The search field for the customers of a day. */
function searchForm(res: Response, date: string, typed: string): Html {
  return html`<form class="find" role="search" method="get" action="${dashboardPath(res, "/appointments")}"><input type="hidden" name="date" value="${date}"><input id="find" type="search" name="q" value="${typed}" maxlength="${maxValueLength}" placeholder="Find a name or phone" aria-label="Find a name or phone number of this day" aria-keyshortcuts="/" autocomplete="off" data-filters="day"></form>
`;
}

function dayPicker(res: Response, date: string, today: string, state: FormState): Html {
  const to = (day: string) => dashboardPath(res, pathOfDay(day));
  const day = (days: number) => {
    const other = addDays(date, days);
    return html`${dayFormat.safeParse(other).success && html`<a class="button" href="${to(other)}">${dayInShort(other)}</a>`}`;
  };
  return html`<form class="card filters" method="get" action="${dashboardPath(res, "/appointments")}">
<p class="actions">${day(-1)}<a class="button" href="${to(today)}"${date === today && html` aria-current="date"`}>Today</a>${day(1)}</p>
${inputs(state).text({ name: "date", label: "Another day", type: "date", value: date })}<div class="actions"><button>Show</button></div>
</form>
`;
}

/** The data that is shown with a day's appointments. */
interface DayContext {
  /** Names by id. */
  readonly services: ReadonlyMap<string, string>;
  /** The queues that can issue a token to a customer who has arrived. */
  readonly queues: readonly Queue[];
  /** Whether the day is after today, so that nobody can be here. */
  readonly isLater: boolean;
}

function table(
  res: Response,
  appointments: readonly AppointmentWithEntry[],
  context: DayContext,
): Html {
  const rows = appointments.map(({ appointment, entry }) => {
    const { id, slotTime, durationMinutes, status, serviceId, notes } = appointment;
    const phone = formatPhone(appointment);
    const who = customerName(appointment.customerName);
    const cells = {
      Time: html`<a href="${dashboardPath(res, `/appointments/${id}`)}">${slotTime}<span class="visually-hidden"> ${who}</span></a>`,
      Minutes: durationMinutes,
      Who: html`<span>${who}${
        phone !== null && html`<br><span class="soft number">${phone}</span>`
      }${notes !== null && html`<br><bdi class="soft">${notes}</bdi>`}</span>`,
      For: html`<bdi>${context.services.get(serviceId ?? "") ?? "–"}</bdi>`,
      State: html`<span>${statusBadge(status)}${entry && html` <a href="${dashboardPath(res, `/board/people/${entry.id}`)}">${tokenLabel(entry)}</a>`}</span>`,
    };
    return { id: `a-${id}`, cells, acts: actions(res, { appointment, entry }, who, context) };
  });
  const caption = "Appointments by their time";
  return html`<section class="card">${stackTable({ caption, rows })}</section>
`;
}

/** What can be done on this page. The person's card and the board do the rest for a person who has a token. */
function actions(
  res: Response,
  { appointment, entry }: AppointmentWithEntry,
  who: Html,
  { queues, isLater }: DayContext,
): Html {
  const { id, status } = appointment;
  const hasToken = entry !== null;
  const giveToken = isExpected({ appointment, entry }) && queues.length > 0;
  const isHere = status === "CHECKED_IN";
  const likely = nextStatuses[status].filter(({ to }) =>
    hasToken ? to === "CANCELLED" : to !== "CHECKED_IN" || !isLater,
  );
  const next = giveToken && isHere ? [giveTokenLater, ...likely] : likely;
  return html`${
    next.length > 0 &&
    html`<form class="actions" method="post" action="${dashboardPath(res, `/appointments/${id}/status`)}">
${formToken(res)}${targetField(appointment)}${giveToken && queueChoice(queues, who, isHere)}${next.map(({ to, label }) => html`<button id="${to}-${id}" name="status" value="${to}"${to !== "CHECKED_IN" && html` formnovalidate`}>${label}<span class="visually-hidden">: ${who}</span></button>`)}</form>`
  }`;
}

/** For a customer whose arrival was noted without a token. */
const giveTokenLater = { to: "CHECKED_IN", label: "Give a token" } as const;

/** Chooses the queue that gives a token. Without `isHere`, also none, to record the arrival only. */
function queueChoice(queues: readonly Queue[], who: Html, isHere: boolean): Html {
  const options = queues.map(({ id, name }) => html`<option value="${id}">${name}</option>`);
  return html`<label><span class="visually-hidden">Token for ${who} in</span><select name="queue">${options}${!isHere && html`<option value="">No token</option>`}</select></label>`;
}
