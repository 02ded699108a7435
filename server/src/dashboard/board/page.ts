import type { Request, Response } from "express";
import { Html, html } from "../../lib/html.js";
import { businessDay } from "../../rules/business-day.js";
import type { Board, LinePart } from "../../store/port/boards.js";
import { accountRow, noteAudited } from "../accounts/audit-changes.js";
import { formToken } from "../accounts/form-token.js";
import { isByScript, sessionOf } from "../accounts/require-owner.js";
import { dayInWords, wallClock } from "../date-format.js";
import { abortSignalOf, orNotFound } from "../errors.js";
import { type Flash, leaveFlash } from "../flash.js";
import { type FormState, untouched } from "../forms.js";
import { flashMessage, liveSign } from "../layout.js";
import type { DashboardDeps, Page } from "../page.js";
import { at } from "../root.js";
import { signedIn } from "../signed-in.js";
import { actIn, perform } from "./acts.js";
import { BoardStream } from "./board-stream.js";
import { LiveBoards } from "./board-watch.js";
import { actForm, cardId, walkInPlace } from "./card.js";
import { counterForm, counterOf, nameCounter } from "./counter.js";
import { askedPart, queryOfPart } from "./line-part.js";
import { OpenStreams } from "./open-streams.js";
import { endedPeople, findForm, findPeople, peopleList } from "./people.js";
import { findPerson, personCard, sendPrintedToken } from "./person.js";
import { correctPerson, walkIn, walkInCard, walkInFields } from "./walk-in.js";

/** The first page: the current state of each queue, and the acts at its counter. */
export const board: Page = {
  path: "",
  title: "Board",
  forStaff: true,
  addRoutes: (router, deps) => {
    const page = new BoardPage(deps);
    router.get("/", (req, res) => page.show(req, res));
    router.get("/board/events", (req, res) => page.stream(req, res));
    router.get("/board/find", (req, res) => page.find(req, res));
    router.get("/board/ended/:queueId", (req, res) => page.ended(req, res));
    router.get("/board/people/:entryId", (req, res) => page.person(req, res));
    router.post("/board/people/:entryId", (req, res) => page.correct(req, res));
    router.get("/board/people/:entryId/print", (req, res) => page.print(req, res));
    router.post("/board", (req, res) => page.act(req, res));
    router.post("/board/counter", nameCounter);
    router.post("/board/walk-in", (req, res) => page.walkIn(req, res));
  },
};

/** A submitted walk-in form and its current state. */
interface SentForm {
  readonly queueId: string;
  readonly state: FormState;
}

class BoardPage {
  readonly #deps: DashboardDeps;
  readonly #boards: LiveBoards;
  readonly #streams: OpenStreams;

  constructor(deps: DashboardDeps) {
    this.#deps = deps;
    this.#boards = new LiveBoards(deps);
    this.#streams = new OpenStreams(deps.stopping, deps.logger);
  }

  async show(req: Request, res: Response, sent: SentForm | null = null): Promise<void> {
    const { store } = this.#deps;
    const { business } = signedIn(res);
    const part = await this.#part(req, res);
    const { board, date, snapshot } = await this.#boards.of(business).read(part);
    const cards = board.queues.map((one) => {
      const { id } = one.queue;
      const state = sent?.queueId === id ? sent.state : untouched;
      const walkIn = walkInCard(res, id, board.services, this.#deps.random, state);
      const card = snapshot.pieces.get(cardId(one)) ?? "";
      const place = walkInPlace(id);
      return html`<section class="card queue" id="${cardId(one)}" aria-labelledby="name-${id}">${new Html(card.replace(place, () => place + walkIn.text))}</section>
`;
    });
    const query = new URLSearchParams(queryOfPart(part));
    query.set("snapshot", snapshot.id);
    query.set("frame", snapshot.frame);
    const { queues } = board;
    this.#deps.send(req, res, {
      title: "Board",
      status: sent ? 422 : 200,
      actions: html`${queues.length > 0 && findForm(res, "")}${liveActions(dayInWords(date))}${screenMenu(res, counterOf(req, res), queues)}`,
      body: html`<div id="board" data-events="${at(res, `/board/events?${query}`)}" data-now="${await store.now()}" data-long-wait="${business.longWaitMinutes ?? ""}">
<form id="${actForm}" method="post" action="${at(res, `/board${queryOfPart(part)}`)}">${formToken(res)}</form>
<div class="card found-people" id="found" role="status" hidden></div>
${queues.length > 1 && queueNav(queues)}${
  queues.length > 0
    ? html`<div class="queues">
${cards}</div>
`
    : noQueues(res)
}<dialog id="person" aria-labelledby="person-name"><div id="person-card"></div>
<form method="dialog"><button class="quiet">Close</button></form></dialog>
</div>
`,
      script: "board.js",
    });
  }

  async stream(req: Request, res: Response): Promise<void> {
    const { snapshot, frame } = req.query;
    const stream = new BoardStream(res, {
      business: signedIn(res).business,
      part: await this.#part(req, res),
      snapshot: String(snapshot ?? ""),
      frame: String(frame ?? ""),
    });
    const [boards, streams] = [this.#boards, this.#streams];
    await stream.open(sessionOf(res), { boards, streams, sessions: this.#deps.sessions });
  }

  async correct(req: Request<{ entryId: string }>, res: Response): Promise<void> {
    const { business } = signedIn(res);
    const said = await correctPerson(req, res, business, this.#deps);
    if ("errors" in said) return this.person(req, res, said);
    this.#boards.hurry(business);
    const { entry } = await findPerson(this.#deps.store, business, req.params.entryId).then(
      ({ found }) => found,
    );
    await this.#answer(req, res, { said, queueId: entry.queueId, part: null });
  }

  async person(
    req: Request<{ entryId: string }>,
    res: Response,
    state: FormState = untouched,
  ): Promise<void> {
    const { business } = signedIn(res);
    const person = await findPerson(this.#deps.store, business, req.params.entryId);
    const { title, heading } = person;
    const card = personCard(res, business, person, state);
    const inDialog = html`<h2 id="person-name">${heading}</h2>${card}`;
    if (isByScript(req) && state !== untouched) {
      sendHtml(res, html`<div id="person-card">${inDialog}</div>`);
    } else if (isByScript(req)) {
      sendHtml(res, inDialog);
    } else {
      const back = html`<p><a href="${at(res, "")}#queue-${person.found.entry.queueId}">Back to the board</a></p>`;
      const body = html`<div class="card">${card}</div>${back}`;
      this.#deps.send(req, res, { title, heading, body });
    }
  }

  async print(req: Request<{ entryId: string }>, res: Response): Promise<void> {
    const { business } = signedIn(res);
    const person = await findPerson(this.#deps.store, business, req.params.entryId);
    sendPrintedToken(res, business, person);
  }

  /** The people of today who match the search text, including those who have left. */
  async find(req: Request, res: Response): Promise<void> {
    const { store } = this.#deps;
    const { business } = signedIn(res);
    const typed = typeof req.query.q === "string" ? req.query.q : "";
    const today = businessDay(await store.now(), business.timezone);
    const people = await findPeople(store, business.id, today, typed, abortSignalOf(res));
    const names = (await store.queues.list(business.id)).map(({ id, name }) => [id, name] as const);
    const list = peopleList(res, people, wallClock(business), new Map(names));
    const found = people.entries.length > 0 ? list : html`<p>No customer of today matches.</p>`;
    if (isByScript(req)) return sendHtml(res, found);
    const body = html`${findForm(res, typed)}<div class="card">${found}</div>${toTheBoard(res)}`;
    this.#deps.send(req, res, { title: "Find a person", body });
  }

  /** The people who have left a queue today. */
  async ended(req: Request<{ queueId: string }>, res: Response): Promise<void> {
    const { store } = this.#deps;
    const { business } = signedIn(res);
    const { queueId } = req.params;
    const queues = await store.queues.list(business.id);
    const queue = orNotFound(queues.find(({ id }) => id === queueId));
    const today = businessDay(await store.now(), business.timezone);
    const people = await endedPeople(store, business.id, queue.id, today, abortSignalOf(res));
    const list = peopleList(res, people, wallClock(business), null);
    const found =
      people.entries.length > 0 ? list : html`<p>No customer has left this queue today.</p>`;
    if (isByScript(req)) return sendHtml(res, found);
    const body = html`<div class="card">${found}</div>${toTheBoard(res)}`;
    this.#deps.send(req, res, { title: `${queue.name}, ended today`, body });
  }

  async act(req: Request, res: Response): Promise<void> {
    const { business } = signedIn(res);
    const { said, queueId } = await perform(this.#deps.store, business, actIn(req.body), {
      counter: counterOf(req, res),
      auditRow: (path, at) => accountRow(res, path, at),
    });
    noteAudited(res);
    this.#boards.hurry(business);
    const part = await this.#part(req, res);
    await this.#answer(req, res, { said, queueId, part });
  }

  async walkIn(req: Request, res: Response): Promise<void> {
    const { store, random } = this.#deps;
    const { business } = signedIn(res);
    const { queueId, said, state } = await walkIn(req, res, business, this.#deps);
    if (said) this.#boards.hurry(business);
    if (isByScript(req)) {
      const services = await store.services.list(business.id);
      const fields = walkInFields(res, queueId, services, random, state);
      return this.#sendPieces(res, said, html`<div id="walk-in-${queueId}">${fields}</div>`);
    }
    if (!said) return this.show(req, res, { queueId, state });
    await this.#answer(req, res, { said, queueId, part: null });
  }

  async #answer(req: Request, res: Response, { said, queueId, part }: Answer): Promise<void> {
    if (isByScript(req)) return this.#sendPieces(res, said);
    leaveFlash(req, res, said);
    res.redirect(303, `${at(res, "")}${queryOfPart(part)}#queue-${queueId}`);
  }

  /** Sends the pieces that change for this browser only; the board itself reaches all followers by stream. */
  async #sendPieces(res: Response, said: Flash | null, more?: Html): Promise<void> {
    const message = said && (await flashMessage(res, this.#deps.store, said));
    sendHtml(res, html`<div id="flash">${message}</div>${more}`);
  }

  /** The part of a line that the URL requests, if the queue belongs to the business. */
  async #part(req: Request, res: Response): Promise<LinePart | null> {
    if (req.query.all === undefined) return null;
    return askedPart(req.query, await this.#deps.store.queues.list(signedIn(res).business.id));
  }
}

function toTheBoard(res: Response): Html {
  return html`<p><a class="button" href="${at(res, "")}">To the board</a></p>`;
}

interface Answer {
  readonly said: Flash;
  readonly queueId: string;
  readonly part: LinePart | null;
}

function sendHtml(res: Response, { text }: Html): void {
  res.type("html").end(text);
}

/** Which day the board shows, and whether it is live. */
function liveActions(day: string): Html {
  return html`<p class="day">${day}</p>
${liveSign}<noscript><a class="button" href="">Reload</a></noscript>
`;
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
  return html`<details class="menu"><summary>${counter ?? "This screen"}</summary>
<div class="menu-content">${counterForm(res, counter)}<div id="choice" hidden>${
    queues.length > 1 &&
    html`<fieldset class="field"><legend>Queues on this screen</legend>${boxes}</fieldset>`
  }<div class="actions">${queues.length > 1 && html`<button type="button" id="show-all">Show all</button>`}<button type="button" id="full-screen" hidden>Full screen</button></div></div>
</div></details>
`;
}

function noQueues(res: Response): Html {
  return html`<div class="empty"><p><strong>There is no queue yet.</strong></p>
<p>A queue is a line of people: one for each counter, doctor or kind of service.</p>
${signedIn(res).owner.role === "owner" && html`<p><a class="button primary" href="${at(res, "/queues")}">Add a queue</a></p>`}</div>
`;
}
