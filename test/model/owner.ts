import fc from "fast-check";
import type { PageAnswer, Visitor } from "../dashboard/support/visitor.js";
import type { Verb } from "./line.js";
import { sameSession } from "./place.js";
import { at, peopleOf } from "./requests.js";
import type { Appointment, Business, Person, Queue, Service, World } from "./world.js";

/*
 * What the owner does while a round runs: each act is a form of the dashboard, opened before the round and sent in it.
 */

const verbs = [
  "call",
  "call",
  "next",
  "call-again",
  "complete",
  "no-show",
  "requeue",
  "cancel",
  "priority",
  "no-priority",
  "undo",
  "undo",
] as const satisfies readonly Verb[];
const openQueue = fc.constantFrom("front", "second", "spare", "paused", "closed");
const anyService = fc.constantFrom(null, "short", "long", "vague", "new", "retired");
const who = fc.nat(99);

const deed = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ does: fc.constant("person"), who, verb: fc.constantFrom(...verbs) }),
  },
  { weight: 3, arbitrary: fc.record({ does: fc.constant("transfer"), who, queue: openQueue }) },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant("correct"),
      who,
      name: fc.constantFrom("", "Corrected"),
      service: anyService,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant("walk-in"),
      queue: openQueue,
      service: anyService,
      priority: fc.boolean(),
      twice: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant("flag"),
      queue: openQueue,
      verb: fc.constantFrom("pause", "resume", "close", "open"),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant("switch"),
      service: fc.constantFrom("short", "long", "retired", "new"),
      on: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant("check-in"),
      who,
      queue: openQueue,
      twice: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant("status"),
      who,
      status: fc.constantFrom("CONFIRMED", "NO_SHOW", "CANCELLED"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constantFrom("drop"), who }) },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constantFrom(
        "revoke",
        "access off",
        "access on",
        "access on",
        "remove queue",
        "remove service",
      ),
    }),
  },
);
const act = fc.record({ business: fc.nat(2), server: fc.nat(1), deed });
export type Act = typeof act extends fc.Arbitrary<infer Value> ? Value : never;

/** What the owner does in a round. A shrunk case has holes in the place of acts. */
export const acts = fc.array(fc.option(act, { freq: 200 }), { maxLength: 16 });

/** An act that is ready to be sent: its form was opened. */
export interface Prepared {
  readonly act: Act;
  readonly business: Business;
  /** What it is about. */
  readonly person?: Person;
  readonly queue?: Queue;
  readonly service?: Service | null;
  readonly appointment?: Appointment;
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly window: Visitor;
}

/** An act that was answered. */
export interface Done extends Prepared {
  readonly isMade: boolean;
  /** The person that the answer names. */
  readonly entryId: string | null;
  readonly said: string;
}

/** Opens the form of an act. Null if the dashboard offers none, for example because nobody is there. */
export async function prepare(world: World, act: Act): Promise<Prepared[]> {
  const business = at(world.businesses, act.business);
  const session = at(business.owner, act.server);
  const form = (
    path: string,
    fields: Prepared["fields"],
    about: Partial<Prepared> = {},
  ): Prepared => ({
    ...{
      act,
      business,
      path: `/dashboard${path}`,
      fields,
      window: sameSession(session, session.url),
      ...about,
    },
  });
  const queueOf = (ref: string) => business.queues[ref];
  const people = peopleOf(business).filter(({ date }) => date === business.today);
  const { deed } = act;
  switch (deed.does) {
    case "person":
    case "transfer":
    case "correct": {
      if (people.length === 0) return [];
      const person = at(people, deed.who);
      const window = sameSession(session, session.url);
      const { body: card } = await window.get(`/dashboard/board/people/${person.id}`);
      const button = (verb: string) => new RegExp(`name="${verb}" value="([^"]+)"`).exec(card)?.[1];
      if (deed.does === "correct") {
        const known = /name="known" value="([^"]+)"/.exec(card)?.[1] ?? "";
        const service = business.services[deed.service ?? ""] ?? null;
        if (service && !(service.exists && (service.active || service.id === person.serviceId)))
          return [];
        const fields = {
          name: deed.name,
          phone: "+44 20 7946 0000",
          service: service?.id ?? "",
          known,
        };
        return [form(`/board/people/${person.id}`, fields, { person, service })];
      }
      const verb = deed.does === "transfer" ? "transfer" : deed.verb;
      const seen = button(verb === "next" ? "call" : verb);
      if (seen === undefined) return [];
      if (deed.does === "person") return [form("/board", { [verb]: seen }, { person })];
      const to = queueOf(deed.queue);
      return to?.exists ? [form("/board", { [verb]: seen, to: to.id }, { person, queue: to })] : [];
    }
    case "walk-in": {
      const queue = queueOf(deed.queue);
      const service = business.services[deed.service ?? ""] ?? null;
      if (!queue?.exists) return [];
      const fields = {
        queue: queue.id,
        form: crypto.randomUUID().replaceAll("-", ""),
        name: "Walk-in",
        phone: "",
        service: service?.id ?? "",
      };
      const once = form(
        "/board/walk-in",
        { ...fields, ...(deed.priority && { priority: "on" }) },
        { queue, service },
      );
      return deed.twice ? [once, once] : [once];
    }
    case "flag": {
      const queue = queueOf(deed.queue);
      return queue?.exists ? [form("/board", { [deed.verb]: queue.id }, { queue })] : [];
    }
    case "switch": {
      const service = business.services[deed.service];
      return service?.exists
        ? [form(`/services/${service.id}/switch`, { active: deed.on ? "on" : "off" }, { service })]
        : [];
    }
    case "check-in":
    case "status":
    case "drop": {
      if (business.appointments.length === 0) return [];
      const appointment = at(business.appointments, deed.who);
      const path = `/appointments/${appointment.id}/${deed.does === "drop" ? "remove" : "status"}`;
      if (deed.does === "drop") return [form(path, {}, { appointment })];
      if (deed.does === "status") return [form(path, { status: deed.status }, { appointment })];
      const queue = queueOf(deed.queue);
      if (!queue?.exists) return [];
      const once = form(path, { status: "CHECKED_IN", queue: queue.id }, { appointment, queue });
      return deed.twice ? [once, once] : [once];
    }
    case "revoke":
      return [form(`/keys/${business.keys.leaving.text.split("_")[2]}/revoke`, {})];
    case "access on":
    case "access off":
      return [form("/keys/access", { access: deed.does.slice("access ".length) })];
    case "remove queue": {
      const queue = queueOf("spare");
      return queue?.exists ? [form(`/queues/${queue.id}/remove`, {}, { queue })] : [];
    }
    case "remove service": {
      const service = business.services.new;
      return service?.exists ? [form(`/services/${service.id}/remove`, {}, { service })] : [];
    }
  }
}

/** Sends the form of an act, and reads the message that it leaves. */
export async function perform(prepared: Prepared): Promise<Done> {
  const { window, path, fields } = prepared;
  const answer = await window.submit(path, fields);
  const left = messageOf(answer);
  const isMade = left?.kind === "done";
  return {
    ...prepared,
    isMade,
    entryId: left?.entryId ?? null,
    said: `${answer.status} ${left?.text ?? answer.body.slice(-2_000)}`,
  };
}

/** Lets programs in again after a round, because the model reads with a key. */
export async function switchOn({ owner: [session] }: Business): Promise<void> {
  const { status } = (await session?.submit("/dashboard/keys/access", { access: "on" })) ?? {};
  if (status !== 303) throw new Error(`access was not switched on: ${status}`);
}

function messageOf({ setCookies }: PageAnswer) {
  const flash = /queue_api_flash=([^;]+)/.exec(setCookies.join("\n"))?.[1];
  return flash === undefined
    ? null
    : (JSON.parse(decodeURIComponent(flash)) as { kind: string; text: string; entryId?: string });
}

/** An act in words. */
export function inWords({ act, path, fields }: Prepared): string {
  return `business ${act.business}: ${JSON.stringify(act.deed)} POST ${path} ${JSON.stringify(fields)}`;
}
