import type { z } from "zod";
import { type Html, html } from "../lib/html.js";
import { maxQueues } from "../operations/business-items.js";
import { queueOptions } from "../owner/queue.js";
import type { Queue } from "../rules/records.js";
import { formToken } from "./accounts/form-token.js";
import { asCapitals, asFlag, type FormState, formCard, inputs } from "./forms.js";
import type { View } from "./layout.js";
import { orNotFound, PageNotFound } from "./page-error.js";
import { dashboardPath } from "./request.js";
import { resourceRoutes, targetField } from "./resource.js";
import { stackTable } from "./tables.js";
import { done, type Redirect, type Routes, type Visit } from "./visit.js";

type QueueInput = z.output<typeof queueOptions>;

const accepted = {
  schema: queueOptions,
  fields: {
    name: { label: "Name" },
    tokenSeries: { label: "Letters on its tokens", read: asCapitals },
    isActive: { label: "Open", read: asFlag },
    isTokenCreationPaused: { label: "Paused", read: asFlag },
  },
};

/** The queues of the business. */
export const queues: Routes = {
  ...resourceRoutes<Queue, QueueInput, QueueInput>({
    path: "/queues",
    list: showQueues,
    find: async (visit) => orNotFound((await allQueues(visit)).find(({ id }) => id === visit.id)),
    view: queueForm,
    add: {
      ...accepted,
      async act(visit, input, { id }) {
        const businessId = visit.business.id;
        const queue = { id, businessId, ...input, revision: 0 };
        const outcome = await visit.store.queues.add(businessId, queue);
        if (outcome !== "too_many") return saved(visit, queue, "is added");
        const message = `A business has at most ${maxQueues} queues. Change one that is closed.`;
        return { field: "", message };
      },
    },
    change: {
      ...accepted,
      act(visit, { tokenSeries: before }, input, seen) {
        // letters that were left alone stay small, as on the tokens that people hold
        const isLeft = visit.req.body?.tokenSeries === before;
        const tokenSeries = isLeft ? before : input.tokenSeries;
        return changeQueue(visit, { ...input, tokenSeries }, "is changed", seen);
      },
    },
    removal: {
      verb: "remove",
      blocked: async ({ store, business }, { id, name }) =>
        (await store.queues.isInUse(business.id, id)) ? inUse(name) : null,
      question: ({ name }) => ({
        title: "Remove this queue?",
        text: html`<strong>${name}</strong> is removed. Nothing refers to it yet.`,
      }),
      async act({ store, business }, { id, name }) {
        const outcome = await store.queues.remove(business.id, id);
        return outcome === "removed" ? done(`${name} is removed.`, "/queues") : inUse(name);
      },
    },
  }),
  "POST /queues/:id/up": async (visit) => {
    const ids = (await allQueues(visit)).map(({ id }) => id);
    const place = ids.indexOf(visit.id);
    if (place === -1) throw new PageNotFound();
    if (place > 0) ids.splice(place - 1, 0, ...ids.splice(place, 1));
    await visit.store.queues.reorder(visit.business.id, ids);
    return { to: "/queues" };
  },
  "POST /queues/:id/switch": (visit) => {
    const isActive = visit.req.body?.isActive === "on";
    const outcome = isActive ? "is open" : "is closed: it takes no new tokens";
    visit.audit?.setPath(`/queues/${visit.id}/${isActive ? "open" : "close"}`);
    return changeQueue(visit, { isActive }, outcome);
  },
};

function allQueues({ store, business }: Visit): Promise<readonly Queue[]> {
  return store.queues.list(business.id);
}

async function changeQueue(
  visit: Visit,
  change: Partial<QueueInput>,
  outcome: string,
  seen: number | null = null,
): Promise<Redirect> {
  const { store, business, id } = visit;
  const queue = orNotFound(await store.queues.change(business.id, id, change, seen));
  return saved(visit, queue, outcome);
}

/** Says what happened, and warns of a queue with the same letters. */
async function saved(visit: Visit, { id, name, tokenSeries }: Queue, outcome: string) {
  const text = `${name} ${outcome}.`;
  const isSame = (other: Queue) => other.tokenSeries.toUpperCase() === tokenSeries.toUpperCase();
  const same = (await allQueues(visit)).find((other) => other.id !== id && isSame(other));
  if (!same) return done(text, "/queues");
  const warning = `Its tokens begin with ${tokenSeries}, as those of ${same.name}: people may confuse them.`;
  return { to: "/queues", flash: { kind: "warning", text: `${text} ${warning}` } } as const;
}

function inUse(name: string): Redirect {
  const text = `${name} is in use, so it stays. Close it instead.`;
  return { to: "/queues", flash: { kind: "warning", text } };
}

async function showQueues(visit: Visit): Promise<View> {
  const { res } = visit;
  const queues = await allQueues(visit);
  const newOne = dashboardPath(res, "/queues/new");
  const none = html`<div class="empty">
<p>A queue is a line of people, such as those who wait at one desk. Tokens are issued in it, by this dashboard and by programs with a key.</p>
<p><a class="button" href="${newOne}">Add the first queue</a></p>
</div>
`;
  const rows = queues.map((queue, place) => {
    const { id, name, tokenSeries, isActive } = queue;
    const here = dashboardPath(res, `/queues/${id}`);
    const cells = {
      Name: html`<a href="${here}">${name}</a>`,
      Tokens: `${tokenSeries}1, ${tokenSeries}2 …`,
      State: stateBadge(queue),
    };
    const acts = html`<div class="actions">${place > 0 && html`<form method="post" action="${here}/up">${formToken(res)}<button class="quiet" id="up-${id}">Move up<span class="visually-hidden">: ${name}</span></button></form>`}<form method="post" action="${here}/switch">${formToken(res)}<button id="switch-${id}" name="isActive" value="${isActive ? "off" : "on"}">${isActive ? "Close" : "Open"}<span class="visually-hidden"> ${name}</span></button></form></div>`;
    return { id: `item-${id}`, cells, acts };
  });
  const caption = "Queues, in their order";
  const list = html`<section class="card" id="items" data-live>${stackTable({ caption, rows })}</section>
`;
  const actions = html`<a class="button primary" href="${newOne}">New queue</a>
`;
  return { title: "Queues", actions, body: queues.length === 0 ? none : list };
}

async function queueForm(visit: Visit, state: FormState, target: Queue | string): Promise<View> {
  const { res } = visit;
  const queue = typeof target === "string" ? null : target;
  const { name, isActive = true, isTokenCreationPaused = false } = queue ?? {};
  const { text, check } = inputs(state, accepted.fields);
  const hint =
    "1 to 10 letters from A to Z. Use different letters for each queue, so that people can distinguish its tokens. Tokens that are already issued do not change.";
  const letters = queue?.tokenSeries ?? freeLetters(await allQueues(visit));
  const paused = "Takes no new tokens for now";
  const body = formCard(res, {
    action: queue ? `/queues/${queue.id}` : "/queues",
    page: !queue && "/queues/new",
    state,
    fields: [
      targetField(target),
      text({ name: "name", value: name, attributes: html`required` }),
      text({
        name: "tokenSeries",
        hint,
        value: letters,
        maxLength: 10,
        attributes: html`required`,
      }),
      check({ name: "isActive", checked: isActive }),
      check({ name: "isTokenCreationPaused", label: paused, checked: isTokenCreationPaused }),
    ],
    submit: queue ? "Save" : "Add the queue",
    back: ["/queues", "Cancel"],
    more:
      queue &&
      html`<a class="button danger" href="${dashboardPath(res, `/queues/${queue.id}/remove`)}">Remove…</a>`,
  });
  return { title: queue?.name ?? "New queue", body };
}

/** The first letters in the alphabet that no queue has: A to Z, then AA to AZ, and so on. */
function freeLetters(queues: readonly Queue[]): string {
  const used = new Set(queues.map(({ tokenSeries }) => tokenSeries.toUpperCase()));
  const alphabet = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
  for (const first of ["", ...alphabet]) {
    const free = alphabet.find((letter) => !used.has(first + letter));
    if (free !== undefined) return first + free;
  }
  return "A";
}

function stateBadge({ isActive, isTokenCreationPaused }: Queue): Html {
  if (!isActive) return html`<span class="badge bad">Closed</span>`;
  return isTokenCreationPaused
    ? html`<span class="badge warn">Paused</span>`
    : html`<span class="badge good">Open</span>`;
}
