import type { Entry } from "@queue-api/contract";
import fc from "fast-check";
import type { Asked } from "./moment.js";
import { type Act, type Done, perform, prepare } from "./owner.js";
import { type Ask, at, peopleOf, renderAll } from "./requests.js";
import { send, type World } from "./world.js";

/*
 * A walk through the pages of a list, with changes between them: who stays is seen once, in order, and no page is refused.
 */

const step = fc.record({
  change: fc.constantFrom("create", "cancel", "move", "call", "move in"),
  /** Whether it is the last person of the page, or any. */
  who: fc.oneof(fc.constant("last"), fc.nat(99)),
});

export const walk = fc.record({
  business: fc.nat(2),
  server: fc.nat(1),
  queue: fc.constantFrom("front", "front", "second"),
  status: fc.constantFrom(null, null, "WAITING"),
  limit: fc.integer({ min: 1, max: 4 }),
  steps: fc.array(fc.array(step, { maxLength: 3 }), { minLength: 1, maxLength: 8 }),
});
type Walk = typeof walk extends fc.Arbitrary<infer Value> ? Value : never;

/** What happened in a walk, and what each page showed. */
export interface Walked {
  readonly asked: readonly Asked[];
  readonly done: readonly Done[];
  readonly business: World["businesses"][number];
  readonly queueId: string;
  readonly status: string | null;
  readonly seen: readonly string[];
  readonly refusal: string | null;
}

/** Reads the pages of a list one after the other, and makes the changes of each step between them. */
export async function walkPages(world: World, one: Walk): Promise<Walked> {
  const business = at(world.businesses, one.business);
  const queue = business.queues[one.queue];
  if (!queue) throw new Error("there is no such queue");
  const other = one.queue === "front" ? "second" : "front";
  const asked: Asked[] = [];
  const done: Done[] = [];
  const seen: string[] = [];
  const touched = new Set<string>();
  const ask = async (call: Ask["call"]) => {
    const [sent] = renderAll(
      world,
      [{ ...{ business: one.business, server: one.server, key: "main", extra: null }, call }],
      [],
      [],
    );
    if (sent) asked.push({ sent, exchange: await sendOne(world, sent) });
  };
  const act = async (deed: Act["deed"]) => {
    for (const prepared of await prepare(world, {
      business: one.business,
      server: one.server,
      deed,
    }))
      done.push(await perform(prepared));
  };
  const result = { asked, done, business, queueId: queue.id, status: one.status, seen };
  const path = `/v1/queues/${queue.id}/entries`;
  let cursor: string | null = "";
  for (let page = 0; cursor !== null; page++) {
    const query = {
      limit: one.limit,
      ...(one.status && { status: one.status }),
      ...(cursor && { cursor }),
    };
    const target = world.place.targets[(one.server + page) % world.place.targets.length];
    const { answer } = await send(world, target, { business, key: "main" }, "GET", path, { query });
    if (answer.status !== 200)
      return {
        ...result,
        refusal: `page ${page} after ${JSON.stringify(one.steps.slice(0, page))} was answered ${answer.status} ${answer.text}`,
      };
    const ids = (answer.data as Entry[]).map(({ id }) => id);
    seen.push(...ids);
    cursor = answer.nextCursor;
    for (const { change, who } of one.steps[page] ?? []) {
      if (change === "create") {
        await ask({
          op: "create",
          queue: one.queue,
          service: null,
          name: "Newcomer",
          phone: "919800000001",
          wrongBody: null,
          key: "none",
          again: null,
        });
        continue;
      }
      const isHere = change !== "move in";
      const all = peopleOf(business);
      const today = all.filter(({ date }) => date === business.today);
      const choice = today.filter(
        ({ id, queueId }) => (queueId === queue.id) === isHere && !touched.has(id),
      );
      const id =
        isHere && who === "last"
          ? ids.at(-1)
          : choice.length > 0
            ? at(choice, who === "last" ? 0 : who).id
            : undefined;
      const index = today.findIndex((person) => person.id === id);
      if (id === undefined || index === -1 || touched.has(id)) continue;
      touched.add(id);
      if (change === "cancel")
        await ask({
          op: "cancel",
          person: all.findIndex((person) => person.id === id),
          body: null,
        });
      else if (change === "call") await act({ does: "person", who: index, verb: "call" });
      else
        await act({ does: "transfer", who: index, queue: isHere ? other : (one.queue as "front") });
    }
  }
  return { ...result, refusal: null };
}

/** Sends a rendered request to its process. */
export function sendOne(world: World, sent: Asked["sent"]): Promise<Asked["exchange"]> {
  const { business, key, address, method, path, headers, body } = sent;
  const who = { business, key: key === "none" || key === "garbage" ? null : key, address };
  const garbage = key === "garbage" && { Authorization: "Bearer svc_live_nobody_nothing" };
  // As bytes, because `fetch` adds a content type to a text.
  const content = body === null ? {} : { body: new Uint8Array(Buffer.from(body)) };
  return send(world, world.place.targets[sent.server], who, method, path, {
    headers: { ...headers, ...garbage },
    ...content,
  });
}
