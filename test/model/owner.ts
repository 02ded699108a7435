import fc from "fast-check";
import type { Visitor } from "../dashboard/support/visitor.js";
import { sameSession } from "./place.js";
import type { World } from "./requests.js";
import { at, type Business, peopleOf, pick, type Queue, type ValueOf } from "./world.js";

/*
 * What the owner does while a round runs: each act is a form of the dashboard, opened before the round and sent in it.
 */

const parts = {
  business: fc.constantFrom(0, 0, 0, 1, 2),
  server: fc.nat(1),
  does: pick(
    "press press press press press press press press press press press press transfer transfer correct correct walk-in walk-in pause pause pause pause pause pause pause resume resume resume close open off on check-in check-in CONFIRMED NO_SHOW CANCELLED drop revoke access-off access-on remove-queue remove-service",
  ),
  who: fc.nat(99),
  /** The number of a button of their card, for `press`. */
  button: fc.nat(7),
  /** Whether it is somebody who is last on a page of a list that was begun. */
  isLast: fc.boolean(),
  queue: pick("front front front second spare paused paused closed"),
  service: pick("none short long vague new retired"),
};
const act = fc.record(parts);
/** A transfer of somebody who is last on a page to the first queue, or from there to the second. */
const transfer = fc.record({
  ...parts,
  business: fc.constant(0),
  does: fc.constant("transfer"),
  isLast: fc.constant(true),
  queue: fc.constant("other"),
});
type Act = ValueOf<typeof act>;

/** What the owner does in a round. A shrunk case has holes in the place of acts. */
export const acts = fc.tuple(
  fc.array(fc.option(act, { freq: 200 }), { maxLength: 16, size: "max" }),
  fc.array(fc.option(transfer, { freq: 200 }), { maxLength: 4, size: "max" }),
);

/** An act with its form, ready to be sent. */
interface Form {
  readonly does: string;
  readonly business: Business;
  readonly session: Visitor;
  /** The id of what it changes: a person, queue, service or appointment. */
  readonly thing: string;
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** An act that was answered. */
export interface Done extends Form {
  readonly isMade: boolean;
  /** The person that the answer names. */
  readonly entryId: string | null;
  readonly said: string;
}

/**
 * Opens the forms of a round's acts. A person can have several, and anything else one, so that it has one value before
 * and one after the round.
 */
export async function openForms(
  { businesses }: World,
  chosen: ValueOf<typeof acts>,
  lasts: readonly string[],
): Promise<Form[]> {
  const taken = new Set<string>();
  const opened = chosen.flat().map(async (act): Promise<Form[]> => {
    if (!act) return [];
    const business = at(businesses, act.business);
    const session = sameSession(at(business.owner, act.server));
    const form = formOf(act, business) ?? (await personForm(act, business, session, lasts));
    const [thing, path, fields = {}, does = act.does] = form;
    if (thing === undefined || taken.has(thing)) return [];
    if (!business.people.has(thing)) taken.add(thing);
    return [{ does, business, session, thing, path: `/dashboard${path}`, fields }];
  });
  return (await Promise.all(opened)).flat();
}

/** What an act changes, and the form that does it. Undefined: there is nothing that it could change. */
type FormOf = readonly [
  thing: string | undefined,
  path: string,
  fields?: Form["fields"],
  /** Default: what the act is called. */
  does?: string,
];

/** The forms that do not depend on what a page shows; null for the others. */
function formOf(act: Act, { slug, queues, services, appointments, keys }: Business): FormOf | null {
  const { does, who } = act;
  const idOf = (items: readonly { name: string; id: string }[], wanted: string) =>
    items.find(({ name }) => name === wanted)?.id;
  const queue = idOf(queues, act.queue);
  const service = idOf(services, act.service);
  const spare = idOf(queues, "spare");
  const fresh = idOf(services, "new");
  const booked = appointments.length > 0 ? at(appointments, who).id : undefined;
  const statusPath = `/appointments/${booked}/status`;
  switch (does) {
    case "pause":
    case "resume":
    case "close":
    case "open":
      return [queue, "/board", { [does]: queue ?? "" }];
    case "on":
    case "off":
      return [service, `/services/${service}/switch`, { active: does }];
    case "access-on":
    case "access-off":
      return [`${slug} access`, "/keys/access", { access: does.slice("access-".length) }];
    case "revoke":
      return [`${slug} key`, `/keys/${keys.leaving?.text.split("_")[2]}/revoke`];
    case "remove-queue":
      return [spare, `/queues/${spare}/remove`];
    case "remove-service":
      return [fresh, `/services/${fresh}/remove`];
    case "CONFIRMED":
    case "NO_SHOW":
    case "CANCELLED":
      return [booked, statusPath, { status: does }];
    case "check-in":
      return [queue && booked, statusPath, { status: "CHECKED_IN", queue: queue ?? "" }];
    case "drop":
      return [booked, `/appointments/${booked}/remove`];
    case "walk-in": {
      const form = crypto.randomUUID().replaceAll("-", "");
      const customer = { name: "Walk-in", phone: "", service: service ?? "" };
      const priority = who % 2 === 0 ? { priority: "on" } : {};
      return [
        queue && form,
        "/board/walk-in",
        { queue: queue ?? "", form, ...customer, ...priority },
      ];
    }
    default:
      return null;
  }
}

/** The form of an act on a person: their card has the buttons, with the revision that it shows. */
async function personForm(
  { does, who, isLast, ...act }: Act,
  business: Business,
  session: Visitor,
  lasts: readonly string[],
): Promise<FormOf> {
  const people = peopleOf(business).filter(({ date }) => date === business.today);
  const last = people.filter(({ id }) => lasts.includes(id));
  if (people.length === 0) return [undefined, ""];
  const { id, queueId, serviceId } = at(isLast && last.length > 0 ? last : people, who);
  const { body: card } = await session.get(`/dashboard/board/people/${id}`);
  if (does === "correct") {
    const known = /name="known" value="([^"]+)"/.exec(card)?.[1] ?? "";
    const service = business.services.find(({ name }) => name === act.service);
    const isOffered = act.service === "none" || service?.active || service?.id === serviceId;
    const person = { name: who % 2 === 0 ? "" : "Corrected", phone: "+44 20 7946 0000" };
    const fields = { ...person, service: service?.id ?? "", known };
    return [isOffered ? id : undefined, `/board/people/${id}`, fields];
  }
  const buttons = [...card.matchAll(/<button name="([\w-]+)" value="(\w+\.\d+)"/g)]
    .map(([, verb = "", value = ""]) => ({ verb, value }))
    .filter(({ verb }) => does === "press" || does === verb);
  if (buttons.length === 0) return [undefined, ""];
  const { verb, value } = at(buttons, act.button);
  if (verb === "call" && who % 2 === 0) return [id, "/board", { next: value }, "next"];
  if (verb !== "transfer") return [id, "/board", { [verb]: value }, verb];
  const isTarget = (queue: Queue) =>
    queue.id !== queueId && (act.queue === "other" || queue.name === act.queue);
  const to = business.queues.find(isTarget)?.id;
  return [to && id, "/board", { transfer: value, to: to ?? "" }, verb];
}

/** Sends the form of an act, and reads the message that it leaves for the next page. */
export async function perform(form: Form): Promise<Done> {
  const { status, setCookies, body } = await form.session.submit(form.path, form.fields);
  const flash = /queue_api_flash=([^;]+)/.exec(setCookies.join("\n"))?.[1];
  const left = JSON.parse(decodeURIComponent(flash ?? "{}")) as Readonly<Record<string, string>>;
  const said = `${status} ${left.text ?? body.slice(-1_000)}`;
  return { ...form, isMade: left.kind === "done", entryId: left.entryId ?? null, said };
}

/** An act in words. */
export function inWords({ business, does, path, fields, said }: Done): string {
  return `${business.slug}: ${does}, POST ${path} ${JSON.stringify(fields)}: ${said}`;
}
