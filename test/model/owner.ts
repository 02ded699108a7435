import fc from "fast-check";
import type { Visitor } from "../dashboard/support/visitor.js";
import { sameSession } from "./place.js";
import { peopleOf } from "./requests.js";
import { at, type Business, pick, type ValueOf, type World } from "./world.js";

/*
 * What the owner does while a round runs: each act is a form of the dashboard, opened before the round and sent in it.
 */

const act = fc.record({
  business: fc.constantFrom(0, 0, 0, 1, 2),
  server: fc.nat(1),
  does: pick(
    "call call next call-again complete no-show requeue cancel priority no-priority undo undo transfer transfer transfer correct correct walk-in walk-in pause resume close open off on check-in check-in CONFIRMED NO_SHOW CANCELLED drop revoke access-off access-on remove-queue remove-service",
  ),
  who: fc.nat(99),
  queue: pick("front second spare paused closed"),
  service: pick("none short long vague new retired"),
  /** Whether the form is sent twice, where the dashboard promises that it acts once. */
  twice: fc.boolean(),
});
export type Act = ValueOf<typeof act>;

/** What the owner does in a round. A shrunk case has holes in the place of acts. */
export const acts = fc.array(fc.option(act, { freq: 200 }), { maxLength: 16, size: "max" });

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

/** The things that one act at most may change in a round, so that each has one value before and one after it. */
const subjects: Readonly<Record<string, (act: Act, appointments: number) => string>> = {
  ...Object.fromEntries(
    ["pause", "resume", "close", "open"].map((does) => [does, ({ queue }: Act) => queue]),
  ),
  ...Object.fromEntries(["off", "on"].map((does) => [does, ({ service }: Act) => service])),
  ...Object.fromEntries(["access-off", "access-on"].map((does) => [does, () => "access"])),
  ...Object.fromEntries(
    ["check-in", "CONFIRMED", "NO_SHOW", "CANCELLED", "drop"].map((does) => [
      does,
      ({ who }: Act, all: number) => `appointment ${who % all}`,
    ]),
  ),
  "remove-queue": () => "spare",
  "remove-service": () => "new",
};

/** Opens the forms of a round's acts. Leaves out what the dashboard does not offer. */
export async function prepareAll(world: World, acts: readonly (Act | null)[]): Promise<Prepared[]> {
  const taken = new Set<string>();
  const chosen = acts.filter((act): act is Act => {
    if (!act) return false;
    const { appointments } = at(world.businesses, act.business);
    const subject = subjects[act.does]?.(act, Math.max(1, appointments.length));
    const name = `${act.business} ${subject}`;
    return subject === undefined || (!taken.has(name) && taken.add(name) !== undefined);
  });
  return (await Promise.all(chosen.map((act) => prepare(world, act)))).flat();
}

/** Opens the form of an act: none if the dashboard does not offer it, two if it is sent twice. */
async function prepare(world: World, act: Act): Promise<Prepared[]> {
  const business = at(world.businesses, act.business);
  const opened = at(business.owner, act.server);
  const session = sameSession(opened, opened.url);
  const { does } = act;
  const forms = (thing: string | undefined, path: string, fields: Prepared["fields"] = {}) => {
    const one = { act, business, thing: thing ?? "", path: `/dashboard${path}`, fields, session };
    const isOnce = does === "walk-in" || does === "check-in";
    return thing === undefined ? [] : act.twice && isOnce ? [one, one] : [one];
  };
  const queue = business.queues.find(({ name }) => name === act.queue);
  const service = business.services.find(({ name }) => name === act.service);
  const spare = business.queues.find(({ name }) => name === "spare")?.id;
  const fresh = business.services.find(({ name }) => name === "new")?.id;
  const { appointments } = business;
  const appointment = appointments.length > 0 ? at(appointments, act.who).id : undefined;
  switch (does) {
    case "walk-in": {
      const form = crypto.randomUUID().replaceAll("-", "");
      const person = { name: "Walk-in", phone: "", service: service?.id ?? "" };
      const priority = act.who % 2 === 0 && { priority: "on" };
      return forms(queue?.id, "/board/walk-in", {
        queue: queue?.id ?? "",
        form,
        ...person,
        ...priority,
      });
    }
    case "pause":
    case "resume":
    case "close":
    case "open":
      return forms(queue?.id, "/board", { [does]: queue?.id ?? "" });
    case "off":
    case "on":
      return forms(service?.id, `/services/${service?.id}/switch`, { active: does });
    case "check-in": {
      const fields = { status: "CHECKED_IN", queue: queue?.id ?? "" };
      return queue ? forms(appointment, `/appointments/${appointment}/status`, fields) : [];
    }
    case "CONFIRMED":
    case "NO_SHOW":
    case "CANCELLED":
      return forms(appointment, `/appointments/${appointment}/status`, { status: does });
    case "drop":
      return forms(appointment, `/appointments/${appointment}/remove`);
    case "revoke":
      return forms("leaving", `/keys/${business.keys.leaving?.text.split("_")[2]}/revoke`);
    case "access-on":
    case "access-off":
      return forms("access", "/keys/access", { access: does.slice("access-".length) });
    case "remove-queue":
      return forms(spare, `/queues/${spare}/remove`);
    case "remove-service":
      return forms(fresh, `/services/${fresh}/remove`);
  }
  // What is left is about a person: their card has the buttons, with the revision that it shows.
  const people = peopleOf(business).filter(({ date }) => date === business.today);
  if (people.length === 0) return [];
  const { id, serviceId } = at(people, act.who);
  const { body: card } = await session.get(`/dashboard/board/people/${id}`);
  const inputOf = (name: string) => new RegExp(`name="${name}" value="([^"]+)"`).exec(card)?.[1];
  if (does === "correct") {
    const isOffered =
      act.service === "none" || (service && (service.active || service.id === serviceId));
    const fields = {
      name: act.who % 2 === 0 ? "" : "Corrected",
      phone: "+44 20 7946 0000",
      service: service?.id ?? "",
    };
    return isOffered
      ? forms(id, `/board/people/${id}`, { ...fields, known: inputOf("known") ?? "" })
      : [];
  }
  const button = inputOf(does === "next" ? "call" : does);
  if (button === undefined || (does === "transfer" && !queue)) return [];
  return forms(id, "/board", {
    [does]: button,
    ...(does === "transfer" && { to: queue?.id ?? "" }),
  });
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
