import type { Entry, Appointment as ShownAppointment } from "@queue-api/contract";
import type { Answer } from "../support/answer.js";
import { type Change, explain, isShown, nowhere } from "./line.js";
import { everyResult, type Moment, refuseToken } from "./oracle.js";
import { type Done, inWords } from "./owner.js";
import { type Exchange, placeOf, plain, printOf, type Sent, send, type World } from "./requests.js";
import { type Business, type Person, type Receipt, workOf } from "./world.js";

/*
 * What a round made of a business. Everything in it is as before the round or as after it, and what nobody changed is the
 * same in both: so the answers of the round are judged exactly.
 */

/** Reads the pages of a list. */
export async function readPages(
  world: World,
  business: Business,
  op: "entries" | "appointments",
  queueId: string | null,
  query: Sent["query"],
): Promise<Exchange[]> {
  const pages: Exchange[] = [];
  let after: string | null = null;
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const from: Sent["query"] = cursor === undefined ? query : { ...query, cursor };
    const page = await send(world, plain(business, op, queueId, from, { after }));
    const { data, nextCursor } = page.answer as Answer<(Entry | ShownAppointment)[]>;
    const last = data.at(-1);
    if (last) after = placeOf(last);
    pages.push(page);
    cursor = nextCursor;
  }
  return pages;
}

/** Reads all lists of a business. */
async function look(world: World, business: Business): Promise<Exchange[]> {
  const { today, yesterday, queues } = business;
  const lines = queues.flatMap(({ id }) =>
    [today, yesterday].map((date) =>
      readPages(world, business, "entries", id, { date, limit: "100" }),
    ),
  );
  const booked = readPages(world, business, "appointments", null, { date: today });
  return (await Promise.all([...lines, booked])).flat();
}

/** An entry in a list. */
interface Shown {
  readonly queueId: string;
  readonly date: string;
  readonly entry: Entry;
}

/** The entries of these pages. */
function entriesOf(pages: readonly Exchange[]): Shown[] {
  return pages.flatMap(({ sent: { op, target, query }, answer }) => {
    const entries = op === "entries" ? (answer.data as Entry[]) : [];
    return entries.map((entry) => ({ queueId: target ?? "", date: query.date ?? "", entry }));
  });
}

/** A business with the people and appointments that its lists show. */
export async function withPeople(world: World, business: Business): Promise<Business> {
  const pages = await look(world, business);
  const faults = numberFaults(business, entriesOf(pages));
  if (faults.length > 0) throw new Error(faults.join());
  const people = entriesOf(pages).map(({ queueId, date, entry }): Person => {
    const { predictedWaitMinutes: _, ...shown } = entry;
    return { ...shown, queueId, date, work: workOf(business, entry.serviceId), before: null };
  });
  const appointments = pages
    .filter(({ sent }) => sent.op === "appointments")
    .flatMap(({ answer }) => answer.data as ShownAppointment[]);
  return {
    ...business,
    people: new Map(people.map((person) => [person.id, person])),
    appointments: appointments.map((one) => ({ ...one, personId: null })),
    createdToday: people.filter(({ date }) => date === business.today).length,
  };
}

/** Notes who has which number. What is wrong: a number that was given to two people. */
function numberFaults({ numbers }: Business, entries: readonly Shown[]): string[] {
  return entries.flatMap(({ queueId, date, entry: { id, token, tokenNumber } }) => {
    const number = `${queueId} ${date} ${tokenNumber}`;
    const first = numbers.get(number) ?? id;
    numbers.set(number, first);
    return first === id ? [] : [`${token} was given to ${first} and to ${id}`];
  });
}

/** What acts change of a queue, a service or an appointment; null if they remove it. */
const effects: Readonly<Record<string, object | null>> = {
  pause: { isTokenCreationPaused: true },
  resume: { isTokenCreationPaused: false },
  close: { isActive: false },
  open: { isActive: true },
  on: { active: true },
  off: { active: false },
  CONFIRMED: { status: "CONFIRMED" },
  NO_SHOW: { status: "NO_SHOW" },
  CANCELLED: { status: "CANCELLED" },
  drop: null,
  "remove-queue": null,
  "remove-service": null,
};

/** A business after acts that were made, except for its people. */
function withActs(before: Business, made: readonly Done[]): Business {
  const changed = <Item extends { readonly id: string }>(items: readonly Item[]): Item[] =>
    items.flatMap((item) => {
      const act = made.find(({ thing }) => thing === item.id);
      if (act?.does === "check-in") return { ...item, personId: act.entryId };
      const effect = effects[act?.does ?? ""];
      return effect === null ? [] : { ...item, ...effect };
    });
  const { leaving } = before.keys;
  const did = (does: string) => made.some((one) => one.does === does);
  const revoked = leaving && { leaving: { ...leaving, revoked: leaving.revoked || did("revoke") } };
  return {
    ...before,
    apiAccess: !did("access-off"),
    keys: { ...before.keys, ...revoked },
    queues: changed(before.queues),
    services: changed(before.services),
    appointments: changed(before.appointments),
  };
}

/** The changes of a person that were made in a round. */
function changesOf(
  person: Person,
  before: Business,
  asked: readonly Exchange[],
  made: readonly Done[],
): Change[] {
  const booked = before.appointments.find(({ personId }) => personId === person.id);
  const isCancel = ({ sent, answer }: Exchange) =>
    sent.op === "cancel" && sent.target === person.id && answer.status === 200;
  const isCanceled = ({ does, thing }: Done) => does === "CANCELLED" && thing === booked?.id;
  const cancels = [...asked.filter(isCancel), ...made.filter(isCanceled)];
  const onCard = made.filter(({ thing }) => thing === person.id);
  return [
    ...cancels.map(() => ({ verb: "cancel", isSeen: false })),
    ...onCard.map(({ does, fields }) => {
      const serviceId = fields.service || null;
      const work = serviceId === person.serviceId ? person.work : workOf(before, serviceId);
      const customer = { name: fields.name || null, phone: "442079460000" };
      const to = before.queues.find(({ id }) => id === fields.to);
      return { verb: does, isSeen: true, to, correction: { customer, serviceId, work } };
    }),
  ];
}

/** Somebody who came in a round. */
type Newcomer = Pick<Person, "id" | "queueId" | "customer" | "serviceId" | "priority">;

/** Whether a creation was answered with a new entry. */
const isCreated = ({ sent, answer }: Exchange) =>
  sent.op === "create" && answer.status === 201 && !answer.headers.has("Idempotent-Replay");

/** Those who came by the API or by the owner. */
function newcomersOf(
  before: Business,
  asked: readonly Exchange[],
  made: readonly Done[],
): Newcomer[] {
  const byApi = asked.filter(isCreated).flatMap(({ sent: { creation }, answer }) => {
    if (!creation) return [];
    const { queueId, name, phone, serviceId } = creation;
    const customer = { name, phone: phone.replaceAll(/\D/g, "") };
    return { id: (answer.data as Entry).id, queueId, customer, serviceId, priority: false };
  });
  const byOwner = made.flatMap(({ does, thing, fields, entryId }): Newcomer[] => {
    if (entryId === null || (does !== "walk-in" && does !== "check-in")) return [];
    const appointment = before.appointments.find(({ id }) => id === thing);
    const customer = appointment?.customer ?? { name: "Walk-in", phone: null };
    const serviceId = appointment ? appointment.serviceId : fields.service || null;
    const priority = fields.priority === "on";
    return [{ id: entryId, queueId: fields.queue ?? "", customer, serviceId, priority }];
  });
  return [...byApi, ...byOwner];
}

/** A newcomer as the lists show them; null if they show somebody else. */
function arrived(newcomer: Newcomer, shown: Shown, business: Business): Person | null {
  const { tokenNumber, issuedAt } = shown.entry;
  const queue = business.queues.find(({ id }) => id === newcomer.queueId);
  const tokenSeries = queue?.tokenSeries ?? "";
  const person: Person = {
    ...newcomer,
    date: business.today,
    token: `${tokenSeries}${tokenNumber}`,
    tokenSeries,
    tokenNumber,
    status: "WAITING",
    issuedAt,
    startedAt: null,
    completedAt: null,
    canceledAt: null,
    work: workOf(business, newcomer.serviceId),
    before: null,
  };
  const isThere = shown.queueId === person.queueId && shown.date === person.date;
  return isThere && isShown(person, shown.entry) ? person : null;
}

/** Finds out what a round made of a business. `faults`: what no order of its events explains. */
export async function settle(
  world: World,
  before: Business,
  asked: readonly Exchange[],
  done: readonly Done[],
): Promise<{ readonly moment: Moment; readonly pages: Exchange[]; readonly faults: string[] }> {
  const made = done.filter(({ isMade }) => isMade);
  const acted = withActs(before, made);
  const pages = await look(world, acted);
  const entries = new Map(entriesOf(pages).map((shown) => [shown.entry.id, shown]));
  const faults: string[] = [];
  const people = new Map<string, readonly Person[]>();
  for (const person of before.people.values()) {
    const now = entries.get(person.id);
    const changes = changesOf(person, before, asked, made);
    const states = now?.date === person.date ? explain(person, changes, now) : null;
    if (states) people.set(person.id, states);
    else
      faults.push(
        `${JSON.stringify(person)}\n  became ${JSON.stringify(now)}\n  by ${JSON.stringify(changes)}`,
      );
  }
  const newcomers = newcomersOf(before, asked, made);
  for (const newcomer of newcomers) {
    const now = entries.get(newcomer.id);
    const person = now && arrived(newcomer, now, before);
    if (person && !people.has(person.id))
      people.set(person.id, [{ ...person, queueId: nowhere }, person]);
    else faults.push(`${JSON.stringify(newcomer)} is listed as ${JSON.stringify(now)}`);
  }
  for (const id of entries.keys()) if (!people.has(id)) faults.push(`nobody created ${id}`);
  faults.push(...numberFaults(before, entriesOf(pages)));

  const receipts = new Map<string, Receipt>(before.receipts);
  for (const { sent, answer } of asked.filter(isCreated)) {
    const { creation } = sent;
    if (!creation || creation.key === null) continue;
    if (receipts.has(creation.key)) faults.push(`the key ${creation.key} created two entries`);
    receipts.set(creation.key, { print: printOf(creation), answer });
  }
  const createdToday = before.createdToday + newcomers.length;
  const limit = before.dailyTokenLimit ?? Number.POSITIVE_INFINITY;
  if (newcomers.length > 0 && createdToday > limit)
    faults.push(`${createdToday} tokens were created, and the daily limit is ${limit}`);

  const last = [...people.values()].flatMap((states) => states.slice(-1));
  const after: Business = {
    ...acted,
    receipts,
    createdToday,
    people: new Map(last.map((person) => [person.id, person])),
  };
  const moment = { before, after, people, exchanges: world.exchanges };
  faults.push(...done.flatMap((one) => actFault(one, moment) ?? []));
  return { moment, pages, faults };
}

const alwaysMade = "pause resume close open on off revoke access-on access-off".split(" ");

/** What is wrong with the outcome of an act, or null. What becomes of a person is explained elsewhere. */
function actFault(done: Done, moment: Moment): string | null {
  const { does, fields, isMade, said } = done;
  if (said.startsWith("5") || (alwaysMade.includes(does) && !isMade))
    return `failed: ${inWords(done)}`;
  const queueId = does === "transfer" ? fields.to : fields.queue;
  if (queueId === undefined) return null;
  const serviceId = (does === "walk-in" && fields.service) || null;
  const refusals = everyResult((choose) => refuseToken({ queueId, serviceId }, moment, choose));
  // A transfer is no further token of the day.
  const isAllowed = refusals.some(
    (one) => one === null || (does === "transfer" && one.code === "plan_limit_reached"),
  );
  return isAllowed || !isMade ? null : `must be refused: ${inWords(done)}`;
}
