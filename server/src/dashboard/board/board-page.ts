import type { Response } from "express";
import { type Html, html } from "../../lib/html.js";
import type { Board, LinePart } from "../../operations/boards.js";
import { formToken } from "../accounts/form-token.js";
import { pathOfDay } from "../appointments/day-page.js";
import { dayInWords, wallClock } from "../date-format.js";
import { type FormState, untouchedForm } from "../forms.js";
import { liveSign, type View } from "../layout.js";
import { dashboardPath, isByScript } from "../request.js";
import { submitted } from "../resource.js";
import type { HandlerResult, Redirect, Visit } from "../visit.js";
import { actIn } from "./acts.js";
import { type BoardToday, boardToday, changedBoard, frameOf } from "./board-today.js";
import { actForm, type CardContext, queueCard } from "./card.js";
import { counterMenu, counterOf } from "./counter.js";
import { askedPart, queryOfPart } from "./line-part.js";
import { findForm, leftEarlier, today } from "./people.js";
import { perform } from "./perform-act.js";
import { findPerson, personCard } from "./person-card.js";
import {
  correctPerson,
  personForm,
  walkIn,
  walkInCard,
  walkInForm,
  walkInPart,
} from "./walk-in.js";

/** `GET /`: the current state of each queue, and the acts at its counter. */
export async function showBoard(visit: Visit): Promise<View | undefined> {
  const { req, res, store, business } = visit;
  const part = await partIn(visit);
  const changed = await changedBoard(store, res, business, part);
  if (changed === null) return undefined;
  const view = boardView(visit, part, changed);
  return isByScript(req) ? view : { ...view, body: html`${await leftEarlier(visit)}${view.body}` };
}

/** `refused`: the form of a walk-in that was refused, and its queue. */
function boardView(
  visit: Visit,
  part: LinePart | null,
  { board, date }: BoardToday,
  refused?: { readonly queueId: string; readonly state: FormState },
): View {
  const { res, store, business } = visit;
  const { queues, services } = board;
  const context: CardContext = {
    clock: wallClock(business),
    services: new Map(services.map(({ id, name }) => [id, name])),
    root: dashboardPath(res, ""),
    part,
  };
  const cards = queues.map((one) => {
    const { id } = one.queue;
    const state = refused?.queueId === id ? refused.state : untouchedForm;
    return queueCard(one, context, walkInCard(visit, id, services, state));
  });
  const counter = counterOf(res);
  return {
    title: "Board",
    status: refused ? 422 : 200,
    actions: html`<p class="day">${dayInWords(date)}</p>
${queues.length > 0 && findForm(res, "")}${liveSign}<noscript><a class="button" href="">Reload</a></noscript>
${screenMenu(res, counter, queues)}`,
    body: html`<div id="board" data-frame="${frameOf(board, date)}" data-now="${store.now()}" data-long-wait="${business.longWaitMinutes ?? ""}">
<form id="${actForm}" method="post" action="${dashboardPath(res, `/board${queryOfPart(part)}`)}">${formToken(res)}</form>
<div class="card found-people" id="found" role="status" hidden></div>
${queues.length > 1 && queueNav(queues)}${
  queues.length > 0
    ? html`<div class="queues">
${cards}</div>
`
    : noQueues(visit)
}<dialog id="person" aria-labelledby="person-name"><h2 id="person-name" tabindex="-1" autofocus></h2><div data-flash role="status"></div><div id="person-card"></div>
<form method="dialog"><button class="quiet">Close</button></form></dialog>
</div>
`,
    script: "board.js",
  };
}

/** `GET /board/people/:id`. `state`: of the form that corrects the person. */
export async function showPerson(visit: Visit, state: FormState = untouchedForm): Promise<View> {
  const { res, store, business, id } = visit;
  const person = await findPerson(store, business, id);
  const { title, heading } = person;
  const back = html`<p><a href="${dashboardPath(res, "")}#queue-${person.found.entry.queueId}">Back to the board</a></p>`;
  const card = personCard(res, business, person, state);
  return { title, heading, body: html`<div class="card" id="person-card">${card}</div>${back}` };
}

/** `POST /board/people/:id`: corrects the name, the phone number or the service of a person. */
export function correctOnBoard(visit: Visit): Promise<HandlerResult> {
  const show = (state: FormState) => showPerson(visit, state);
  return submitted(visit, { schema: personForm }, show, (person) => correctPerson(visit, person));
}

/**
 * `POST /board`: performs the act of the button that was pressed. After one on a person of an earlier day, shows the list
 * of these people; after the undo of a message on the appointments of a day, shows that day.
 */
export async function actOnBoard(visit: Visit): Promise<Redirect> {
  const { day } = visit.req.query;
  const { queueId, date, flash } = await perform(visit, actIn(visit.req.body));
  if (typeof day === "string") return { to: pathOfDay(day), flash };
  if (date !== undefined && date < today(visit)) return { to: "/board/earlier", flash };
  return { to: `${queryOfPart(await partIn(visit))}#queue-${queueId}`, flash };
}

/** `POST /board/walk-in`: adds a person to a queue. The script gets a new form for the next person. */
export function addWalkIn(visit: Visit): Promise<HandlerResult> {
  const { store, business } = visit;
  const queueId = String(visit.req.body?.queue ?? "");
  const show = async (state: FormState) => {
    const part = await partIn(visit);
    return boardView(visit, part, await boardToday(store, business, part), { queueId, state });
  };
  return submitted(visit, { schema: walkInForm }, show, async (person) => {
    const flash = await walkIn(visit, person);
    if ("message" in flash) return flash;
    const services = await store.services.list(business.id);
    const piece = walkInPart(visit, queueId, services, untouchedForm);
    return { to: `#queue-${queueId}`, flash, piece };
  });
}

/** The part of a line that the URL requests, if the queue belongs to the business. */
async function partIn({ req, store, business }: Visit): Promise<LinePart | null> {
  if (req.query.all === undefined) return null;
  return askedPart(req.query, await store.queues.list(business.id));
}

/** Links to each queue, in one row. */
function queueNav(queues: Board["queues"]): Html {
  const links = queues.map(
    ({ queue: { id, name } }) =>
      html`<a class="button" href="#queue-${id}" data-queue="${id}"><span>${name}</span></a>
`,
  );
  return html`<nav class="queue-nav" aria-label="Queues">
${links}</nav>
`;
}

/** What a browser can choose for itself: the name of its counter and, by the page's script, its queues. */
function screenMenu(res: Response, counter: string | null, queues: Board["queues"]): Html {
  const boxes = queues.map(
    ({ queue: { id, name } }) =>
      html`<div class="check"><input type="checkbox" id="show-${id}" value="${id}"><label for="show-${id}">${name}</label></div>
`,
  );
  const { head, form } = counterMenu(res, counter);
  return html`<details class="menu" id="screen">${head}
<div class="menu-content">${form}<div id="choice" hidden>${
    queues.length > 1 &&
    html`<fieldset class="field"><legend>Queues on this screen</legend>${boxes}</fieldset>`
  }<div class="actions">${queues.length > 1 && html`<button type="button" id="show-all">Show all</button>`}<button type="button" id="full-screen" hidden>Full screen</button></div></div>
</div></details>
`;
}

function noQueues({ res, account }: Visit): Html {
  return html`<div class="empty"><p><strong>There is no queue yet.</strong></p>
<p>A queue is a line of people: one for each counter, doctor or kind of service.</p>
${account.role === "owner" && html`<p><a class="button primary" href="${dashboardPath(res, "/queues")}">Add a queue</a></p>`}</div>
`;
}
