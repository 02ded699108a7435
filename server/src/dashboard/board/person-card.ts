import type { EntryStatus } from "@queue-api/contract";
import type { Response } from "express";
import { type Html, html } from "../../lib/html.js";
import type { Store } from "../../operations/store.js";
import { wholeLog } from "../../rules/audit.js";
import { businessDay } from "../../rules/business-day.js";
import { expectedWait, position } from "../../rules/line.js";
import { formatPhone } from "../../rules/phone.js";
import type { Business, Entry, EntryInLine } from "../../rules/records.js";
import { tokenLabel } from "../../rules/token.js";
import { canUndoTransfer, tokensBeforeTransfers, transferStarts } from "../../rules/transitions.js";
import { formToken } from "../accounts/form-token.js";
import { assetPath } from "../assets.js";
import { customerName, customerNameInTitle } from "../customer-name.js";
import { dayInWords, inHours, wallClock } from "../date-format.js";
import type { FormState } from "../forms.js";
import { htmlDocument, printLink } from "../layout.js";
import { orNotFound } from "../page-error.js";
import { dashboardPath } from "../request.js";
import type { Visit } from "../visit.js";
import { actButton, isWayIn, wordsOfAct } from "./acts.js";
import { stateName } from "./people.js";
import { correctionForm } from "./walk-in.js";

const maxActs = 10;

/** Finds a person. Throws {@link PageNotFound} if they do not belong to the business. */
export async function findPerson(store: Store, business: Business, entryId: string) {
  const { id: businessId, timezone } = business;
  const found = orNotFound(await store.entries.get(businessId, entryId));
  const { queueId, serviceId, date, customerName: name } = found.entry;
  const token = tokenLabel(found.entry);
  const today = businessDay(store.now(), timezone);
  const { issuedAt: from } = found.entry;
  const ofPerson = { ...wholeLog, pathPrefix: `/dashboard/board/people/${entryId}/`, from };
  const [queues, services, log] = await Promise.all([
    store.queues.list(businessId),
    store.services.list(businessId),
    store.audit.page(businessId, ofPerson, { limit: maxActs, after: null }),
  ]);
  return {
    title: `${token} ${customerNameInTitle(name)}`.trim(),
    heading: html`${token}${name !== null && html` ${customerName(name)}`}`,
    found,
    isOfToday: date === today,
    queue: queues.find(({ id }) => id === queueId)?.name ?? "",
    service: services.find(({ id }) => id === serviceId)?.name ?? null,
    services,
    /** The queues that the person can be transferred to. */
    otherQueues: queues.filter(
      ({ id, isActive, isTokenCreationPaused: paused }) =>
        date === today && id !== queueId && isActive && !paused,
    ),
    /** The tokens that the person had in other queues, oldest first. */
    transferredFrom: tokensBeforeTransfers(found.entry).map(tokenLabel),
    /** The latest acts in the dashboard, newest first. */
    acts: log === "cursor_unknown" ? [] : log.items,
    /** Whether the log has more acts or was too long to look through. */
    mayHaveMoreActs: log === "cursor_unknown" || log.nextCursor !== null,
  };
}

/** A person in a queue, with their details. */
type Person = Awaited<ReturnType<typeof findPerson>>;

/** The details of a person, and the acts on their entry. */
export function personCard(
  res: Response,
  business: Business,
  person: Person,
  state: FormState,
): Html {
  const { found, isOfToday, queue, service, transferredFrom, acts, mayHaveMoreActs } = person;
  const { entry } = found;
  const { moment, time } = wallClock(business);
  const momentOrNull = (instant: number | null) => (instant === null ? null : moment(instant));
  const facts: readonly (readonly [Html | string, Html | string | number | null])[] = [
    ["Queue", queue],
    ["State", stateOf(entry)],
    ["Day", isOfToday ? null : dayInWords(entry.date)],
    ...(isOfToday ? lineFacts(found) : []),
    ["Service", service],
    ["Phone", formatPhone(entry)],
    ["Came", moment(entry.issuedAt)],
    ["Called", momentOrNull(entry.startedAt)],
    ["Times called", entry.calls > 1 ? entry.calls : null],
    ["Counter", entry.counter],
    ["Completed", momentOrNull(entry.completedAt)],
    ["Canceled", momentOrNull(entry.canceledAt)],
    ["Moved from", transferredFrom.join(", ") || null],
    ["Added by", mayHaveMoreActs || acts.some(({ path }) => isWayIn(path)) ? null : "a program"],
    ...acts.map(({ at, account, path }): [Html, Html] => [
      html`At ${isOfToday ? time(at) : moment(at)}`,
      html`${wordsOfAct(path) ?? "was corrected"}, by <bdi>${account}</bdi>`,
    ]),
  ];
  const known = facts.filter(([, value]) => value !== null);
  return html`<dl class="facts">
${known.map(
  ([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>
`,
)}</dl>
<form method="post" action="${dashboardPath(res, "/board")}">${formToken(res)}<div class="actions">${actsFor(person)}${isOfToday && entry.status === "WAITING" && printLink(res, entry.id)}</div>${transferTo(person)}</form>
${correctionForm(res, entry, person.services, state)}`;
}

function lineFacts({ line }: EntryInLine): [string, string | number | null][] {
  if (!line) return [];
  const wait = expectedWait(line.ahead, line.pace);
  return [
    ["Place", position(line.ahead)],
    ["Expected wait", wait === null ? null : inHours(wait)],
  ];
}

function stateOf(entry: Entry): Html {
  const { status, priority } = entry;
  const first = status === "WAITING" && priority;
  return html`${stateName(entry)}${first && html` <span class="badge warn">Priority</span>`}`;
}

/**
 * The acts on an entry as shown. Each act is refused if another person has acted in the meantime. An entry of an earlier
 * day can only be ended.
 */
function actsFor({ found: { entry }, isOfToday }: Person): Html {
  const { status, priority } = entry;
  const noShow = actButton("no-show", entry, "No-show");
  if (status === "IN_SERVICE") {
    const complete = actButton("complete", entry, "Complete", { kind: "primary" });
    if (!isOfToday) return html`${complete}${noShow}`;
    return html`${complete}${actButton("call-again", entry, "Call again")}${actButton("requeue", entry, "Back to the line")}${noShow}${undo(entry)}`;
  }
  if (status !== "WAITING") return undo(entry);
  const cancel = actButton("cancel", entry, "Cancel the token", { kind: "danger" });
  if (!isOfToday) return html`${noShow}${cancel}`;
  const rank = priority
    ? actButton("no-priority", entry, "Take priority away")
    : actButton("priority", entry, "Give priority");
  return html`${actButton("call", entry, "Call", { kind: "primary" })}${rank}${noShow}${cancel}${canUndoTransfer(entry) && actButton("undo", entry, "Undo the move")}`;
}

/** The choice of another queue for a person who waits or is in service. */
function transferTo({ found: { entry }, otherQueues }: Person): Html {
  if (!transferStarts.includes(entry.status) || otherQueues.length === 0) return html``;
  const options = otherQueues.map(
    ({ id, name }) => html`<option value="${id}">${name}</option>
`,
  );
  return html`<div class="actions transfer"><label for="to-${entry.id}">Another queue</label><select id="to-${entry.id}" name="to">
${options}</select>${actButton("transfer", entry, "Move there")}</div>`;
}

const undoLabels: Readonly<Record<Exclude<EntryStatus, "WAITING">, string>> = {
  IN_SERVICE: "Undo the call",
  COMPLETED: "Undo the completion",
  CANCELED: "Undo the cancellation",
  NO_SHOW: "Undo the no-show",
};

function undo(entry: Entry): Html {
  const { status } = entry;
  return html`${status !== "WAITING" && actButton("undo", entry, undoLabels[status])}`;
}

/**
 * `GET /board/people/:id/print`: the token of a person, for a printer of 80 mm. It shows neither their name nor their
 * phone number, because customers leave the paper behind.
 */
export async function printToken(visit: Visit): Promise<undefined> {
  const { res, store, account, business, id } = visit;
  const { found, queue, service } = await findPerson(store, business, id);
  const { entry, line } = found;
  const token = tokenLabel(entry);
  const head = html`<link rel="stylesheet" href="${assetPath(res, "printed-token.css")}">
<script src="${assetPath(res, "page.js")}" defer></script>
`;
  const body = html`<body data-account="${account.id}">
<nav aria-label="Printed token"><button id="print" type="button" hidden>Print</button><a class="button" href="${dashboardPath(res, "")}#queue-${entry.queueId}">To the board</a></nav>
<main>
<p><bdi>${business.name}</bdi></p>
<h1${token.length > 5 && html` class="long"`}>${token}</h1>
<p class="queue"><bdi>${queue}</bdi></p>
${service !== null && html`<p><bdi>${service}</bdi></p>\n`}<p class="ahead">${line ? aheadInWords(line.ahead.people) : stateName(entry)}</p>
<p>${wallClock(business).moment(entry.issuedAt)}</p>
</main>
</body>
`;
  res.type("html").end(htmlDocument(res, `Token ${token}`, head, body).text);
}

function aheadInWords(people: number): string {
  if (people === 0) return "You are next";
  return people === 1 ? "1 person is before you" : `${people} people are before you`;
}
