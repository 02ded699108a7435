import type { Entry } from "@queue-api/contract";
import fc from "fast-check";
import type { Asked } from "./moment.js";
import { type Act, type Done, perform, prepareAll } from "./owner.js";
import { type Ask, peopleOf, render, type Sent } from "./requests.js";
import { at, type Business, type Exchange, pick, send, type ValueOf, type World } from "./world.js";

/*
 * A walk through the pages of a list, with changes between them: who stays is seen once, in order, and no page is refused.
 */

const change = fc.record({
  does: pick("create cancel transfer transfer call come"),
  /** Whether it is the last person of the page, or any. */
  who: fc.option(fc.nat(99), { freq: 1 }),
});
export const walk = fc.record({
  business: fc.constantFrom(0, 0, 0, 1, 2),
  server: fc.nat(1),
  queue: pick("front front second"), // each business has these two
  status: pick("none none WAITING"),
  limit: fc.integer({ min: 1, max: 4 }),
  steps: fc.array(fc.array(change, { maxLength: 3 }), { minLength: 1, maxLength: 8 }),
});
type Walk = ValueOf<typeof walk>;

/** What happened in a walk. */
export interface Walked {
  readonly asked: readonly Asked[];
  readonly done: readonly Done[];
  /** The ids on the pages, in order; null in the place of a page that was refused. */
  readonly seen: readonly (string | null)[];
}

/** Reads the pages of a list one after the other, and makes the changes of each step between them. */
export async function walkPages(world: World, one: Walk): Promise<Walked> {
  const business = at(world.businesses, one.business);
  const queueId = business.queues.find(({ name }) => name === one.queue)?.id ?? "";
  const [asked, done, seen, touched]: [Asked[], Done[], (string | null)[], Set<string>] = [
    [],
    [],
    [],
    new Set(),
  ];
  const all = peopleOf(business);
  const today = all.filter(({ date }) => date === business.today);
  const ask = async (change: Partial<Ask>) => {
    const sent = render(
      world,
      { ...plain, ...change, business: one.business, server: one.server, queue: one.queue },
      [],
      [],
    );
    asked.push({ sent, exchange: await sendOne(world, sent) });
  };
  const act = async (does: string, who: number, queue: string) => {
    const act: Act = {
      business: one.business,
      server: one.server,
      does,
      who,
      queue,
      service: "none",
      twice: false,
    };
    for (const prepared of await prepareAll(world, [act])) done.push(await perform(prepared));
  };
  let cursor: string | null = "";
  for (let page = 0; cursor !== null; page++) {
    const query = {
      limit: one.limit,
      ...(one.status !== "none" && { status: one.status }),
      ...(cursor && { cursor }),
    };
    const caller = { business, server: one.server + page };
    const { answer } = await send(world, caller, "GET", `/v1/queues/${queueId}/entries`, { query });
    if (answer.status !== 200) return { asked, done, seen: [...seen, null] };
    const ids = (answer.data as Entry[]).map(({ id }) => id);
    seen.push(...ids);
    cursor = answer.nextCursor;
    for (const { does, who } of one.steps[page] ?? []) {
      if (does === "create") await ask({ op: "create" });
      const choice = today.filter(
        (person) => (person.queueId === queueId) === (does !== "come") && !touched.has(person.id),
      );
      const id =
        who === null && does !== "come" ? ids.at(-1) : choice[(who ?? 0) % choice.length]?.id;
      const index = today.findIndex((person) => person.id === id);
      if (does === "create" || id === undefined || index === -1 || touched.has(id)) continue;
      touched.add(id);
      if (does === "cancel")
        await ask({ op: "cancel", who: all.findIndex((person) => person.id === id) });
      else if (does === "call") await act("call", index, one.queue);
      else
        await act(
          "transfer",
          index,
          does === "come" ? one.queue : one.queue === "front" ? "second" : "front",
        );
    }
  }
  return { asked, done, seen };
}

/** A creation for a walk. */
const plain = {
  key: "main",
  op: "create",
  service: "none",
  who: 0,
  name: "Newcomer",
  again: null,
  phone: "919800000001",
  spoil: "right",
  idempotency: "none",
  extra: "none",
  date: "none",
  limit: "none",
  status: "none",
  cursor: "none",
} as const;

/** What is wrong with a walk after which the business is `after`, or null. */
export function walkFault(
  { business, queue, status }: Walk,
  before: Business,
  after: Business,
  { seen }: Walked,
): string | null {
  if (seen.includes(null)) return `a page of business ${business} was refused after ${seen}`;
  const queueId = before.queues.find(({ name }) => name === queue)?.id;
  const isThere = (people: Business["people"], id: string) => {
    const one = people.get(id);
    return (
      one?.queueId === queueId &&
      one?.date === before.today &&
      (status === "none" || one.status === status)
    );
  };
  const stayed = peopleOf(after)
    .filter(({ id }) => isThere(before.people, id) && isThere(after.people, id))
    .map(({ id }) => id);
  const met = seen.filter((id) => id !== null && stayed.includes(id));
  return met.join() === stayed.join()
    ? null
    : `the pages of business ${business} showed ${seen}, and these stayed: ${stayed}`;
}

let addresses = 0;

/** Sends a rendered request to its process, from an address of its own. */
export function sendOne(
  world: World,
  { business, ask, method, path, headers, body }: Sent,
): Promise<Exchange> {
  addresses += 1;
  const address = `10.${(addresses >> 16) & 127}.${(addresses >> 8) & 255}.${addresses & 255}`;
  const caller = { business, key: ask.key, server: ask.server, address };
  return send(world, caller, method, path, { headers, ...(body !== null && { body }) });
}
