import fc from "fast-check";
import type { Visitor } from "../dashboard/support/visitor.js";
import { sameSession } from "./place.js";
import { type KnownCursor, peopleOf } from "./requests.js";
import { at, type Business, pick, type ValueOf, type World } from "./world.js";

/*
 * What the owner does while a round runs: each act is a form of the dashboard, opened before the round and sent in it.
 */

const parts = {
  business: fc.constantFrom<number[]>(0, 0, 0, 1, 2),
  server: fc.nat(1),
  does: pick(
    "call call next call-again complete no-show requeue cancel priority no-priority undo undo transfer transfer transfer correct correct walk-in walk-in pause pause pause pause pause pause pause resume resume resume close open off on check-in check-in CONFIRMED NO_SHOW CANCELLED drop revoke access-off access-on remove-queue remove-service",
  ),
  who: fc.nat(99),
  queue: pick("front front front second spare paused paused closed"),
  service: pick("none short long vague new retired"),
  /** Whether the form is sent twice, where the dashboard promises that it acts once. */
  twice: fc.boolean(),
};
const act = fc.record(parts);
export type Act = ValueOf<typeof act>;

/** What the owner does in a round. A shrunk case has holes in the place of acts. */
export const acts = fc.array(fc.option(act, { freq: 200 }), { maxLength: 16, size: "max" });

/** Transfers of people who are last on a page, to another queue. */
export const moves = fc.array(
  fc.record({
    ...parts,
    does: fc.constant("transfer"),
    who: fc.nat(49).map((half) => 2 * half),
    queue: pick("front second"),
  }),
  { maxLength: 4, size: "max" },
);

/** An act with its form, ready to be sent. */
export interface Prepared {
  readonly act: Act;
  readonly business: Business;
  /** The id of what it changes: a person, queue, service or appointment. */
  readonly thing: string;
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly session: Visitor;
}

/** An act that was answered. */
export interface Done extends Prepared {
  readonly isMade: boolean;
  /** The person that the answer names. */
  readonly entryId: string | null;
  readonly said: string;
}

/**
 * Opens the forms of a round's acts, one for each thing, so that it has one value before and one after the round. Some acts
 * are on the last person of a page of the lists that were `begun`.
 */
export async function prepareAll(
  world: World,
  acts: readonly (Act | null)[],
  begun: readonly KnownCursor[],
): Promise<Prepared[]> {
  const lasts = new Set(begun.map(({ last }) => last));
  const opened = await Promise.all(acts.map((act) => act && prepare(world, act, lasts)));
  const taken = new Set<string>();
  return opened.flatMap((one) => {
    if (!one) return [];
    const { act, business, thing } = one;
    const isOfMany = act.does === "walk-in" || business.people.has(thing);
    const name = `${business.index} ${thing}`;
    if (!isOfMany && taken.has(name)) return [];
    if (!isOfMany) taken.add(name);
    return act.twice && (act.does === "walk-in" || act.does === "check-in") ? [one, one] : [one];
  });
}

/** What an act changes, and the form that does it; nothing if there is none. */
type Form = readonly [thing: string | undefined, path: string, fields?: Prepared["fields"]];

/** The forms that do not depend on what a page shows. */
function formOf(act: Act, { queues, services, appointments, keys }: Business): Form | null {
  const { does, who } = act;
  const queue = queues.find(({ name }) => name === act.queue)?.id;
  const service = services.find(({ name }) => name === act.service)?.id;
  const spare = queues.find(({ name }) => name === "spare")?.id;
  const fresh = services.find(({ name }) => name === "new")?.id;
  const booked = appointments.length > 0 ? at(appointments, who).id : undefined;
  const status = `/appointments/${booked}/status`;
  const walkIn = {
    queue: queue ?? "",
    form: crypto.randomUUID().replaceAll("-", ""),
    name: "Walk-in",
    phone: "",
    service: service ?? "",
    ...(who % 2 === 0 && { priority: "on" }),
  };
  const onQueue: Form = [queue, "/board", { [does]: queue ?? "" }];
  const onService: Form = [service, `/services/${service}/switch`, { active: does }];
  const onAccess: Form = ["access", "/keys/access", { access: does.slice("access-".length) }];
  const marked: Form = [booked, status, { status: does }];
  const forms: Readonly<Record<string, Form>> = {
    "walk-in": [queue, "/board/walk-in", walkIn],
    pause: onQueue,
    resume: onQueue,
    close: onQueue,
    open: onQueue,
    off: onService,
    on: onService,
    "access-on": onAccess,
    "access-off": onAccess,
    "check-in": [queue && booked, status, { status: "CHECKED_IN", queue: queue ?? "" }],
    CONFIRMED: marked,
    NO_SHOW: marked,
    CANCELLED: marked,
    drop: [booked, `/appointments/${booked}/remove`],
    revoke: ["leaving", `/keys/${keys.leaving?.text.split("_")[2]}/revoke`],
    "remove-queue": [spare, `/queues/${spare}/remove`],
    "remove-service": [fresh, `/services/${fresh}/remove`],
  };
  return forms[does] ?? null;
}

/** The form of an act on a person: their card has the buttons, with the revision that it shows. */
async function personForm(
  act: Act,
  business: Business,
  session: Visitor,
  lasts: ReadonlySet<string>,
): Promise<Form | null> {
  const { does, who } = act;
  const people = peopleOf(business).filter(({ date }) => date === business.today);
  if (people.length === 0) return null;
  const ofPages = people.filter(({ id }) => lasts.has(id));
  const { id, serviceId } = at(who % 2 === 0 && ofPages.length > 0 ? ofPages : people, who);
  const { body: card } = await session.get(`/dashboard/board/people/${id}`);
  const inputOf = (name: string) => new RegExp(`name="${name}" value="([^"]+)"`).exec(card)?.[1];
  if (does === "correct") {
    const service = business.services.find(({ name }) => name === act.service);
    const isOffered = act.service === "none" || service?.active || service?.id === serviceId;
    const person = { name: who % 2 === 0 ? "" : "Corrected", phone: "+44 20 7946 0000" };
    const fields = { ...person, service: service?.id ?? "", known: inputOf("known") ?? "" };
    return isOffered ? [id, `/board/people/${id}`, fields] : null;
  }
  const button = inputOf(does === "next" ? "call" : does);
  const to = business.queues.find(({ name }) => name === act.queue)?.id;
  if (button === undefined || (does === "transfer" && !to)) return null;
  return [id, "/board", { [does]: button, ...(does === "transfer" && { to: to ?? "" }) }];
}

/** Opens the form of an act; null if the dashboard does not offer it. */
async function prepare(
  world: World,
  act: Act,
  lasts: ReadonlySet<string>,
): Promise<Prepared | null> {
  const business = at(world.businesses, act.business);
  const opened = at(business.owner, act.server);
  const session = sameSession(opened, opened.url);
  const form = formOf(act, business) ?? (await personForm(act, business, session, lasts));
  const [thing, path = "", fields = {}] = form ?? [];
  return thing ? { act, business, thing, path: `/dashboard${path}`, fields, session } : null;
}

/** Sends the form of an act, and reads the message that it leaves for the next page. */
export async function perform(prepared: Prepared): Promise<Done> {
  const { session, path, fields } = prepared;
  const { status, setCookies, body } = await session.submit(path, fields);
  const flash = /queue_api_flash=([^;]+)/.exec(setCookies.join("\n"))?.[1];
  const left = JSON.parse(decodeURIComponent(flash ?? "{}")) as Readonly<Record<string, string>>;
  const said = `${status} ${left.text ?? body.slice(-1_000)}`;
  return { ...prepared, isMade: left.kind === "done", entryId: left.entryId ?? null, said };
}

/** Lets programs in again after a round, because the model reads with a key. */
export async function switchOn({ owner: [session] }: Business): Promise<void> {
  const { status } = (await session?.submit("/dashboard/keys/access", { access: "on" })) ?? {};
  if (status !== 303) throw new Error(`access was not switched on: ${status}`);
}

/** An act in words. */
export function inWords({ act, path, fields, said }: Done): string {
  return `business ${act.business}: ${act.does}, POST ${path} ${JSON.stringify(fields)}: ${said}`;
}
