import { html } from "../lib/html.js";
import { addQueue, mostQueues, queueOptions } from "../owner/queue.js";
import type { Queue } from "../rules/records.js";
import { asFlag, checkField, textField } from "./forms.js";
import { resourcePage } from "./resource.js";

/** The queues of the business. */
export const queues = resourcePage<Queue>({
  path: "/queues",
  title: "Queues",
  one: "queue",
  purpose:
    "A queue is a line of people, such as those who wait at one desk. Tokens are issued in it, by this dashboard and by programs with a key.",
  list: (store, businessId) => store.queues.list(businessId),
  add: addQueue,
  tooMany: `A business has at most ${mostQueues} queues. Change one that is closed.`,
  change: (store, ...change) => store.queues.change(...change),
  remove: (store, ...which) => store.queues.remove(...which),
  reorder: (store, ...order) => store.queues.reorder(...order),
  schema: queueOptions,
  fields: {
    name: { label: "Name" },
    tokenSeries: { label: "Letters on its tokens" },
    isActive: { label: "Open", read: asFlag },
    isTokenCreationPaused: { label: "Paused", read: asFlag },
  },
  columns: [
    ["Tokens", ({ tokenSeries }) => `${tokenSeries}1, ${tokenSeries}2 …`],
    ["State", stateOf],
  ],
  toggle: {
    field: "isActive",
    labels: { on: "Open", off: "Close" },
    said: { on: "The queue is open.", off: "The queue is closed: it takes no new tokens." },
  },
  form: (state, queue, all) => {
    const { name = "", isActive = true, isTokenCreationPaused = false } = queue ?? {};
    return html`${textField(
      { name: "name", label: "Name", value: name, attributes: html`maxlength="240" required` },
      state,
    )}${textField(
      {
        name: "tokenSeries",
        label: "Letters on its tokens",
        hint: "1 to 10 letters from A to Z. Use different letters for each queue, so that people can distinguish its tokens. Tokens that are already issued do not change.",
        value: queue?.tokenSeries ?? freeLetters(all),
        attributes: html`maxlength="10" required`,
      },
      state,
    )}${checkField({ name: "isActive", label: "Open", checked: isActive }, state)}${checkField(
      {
        name: "isTokenCreationPaused",
        label: "Takes no new tokens for now",
        checked: isTokenCreationPaused,
      },
      state,
    )}`;
  },
  warning: ({ tokenSeries }, others) => {
    const same = others.find((other) => other.tokenSeries === tokenSeries);
    if (!same) return null;
    return `Its tokens begin with ${tokenSeries}, as those of ${same.name}: people may confuse them.`;
  },
});

/** The first letters in the alphabet that no queue has: A to Z, then AA to AZ, and so on. */
function freeLetters(queues: readonly Queue[]): string {
  const used = new Set(queues.map(({ tokenSeries }) => tokenSeries));
  const alphabet = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
  for (const first of ["", ...alphabet]) {
    const free = alphabet.find((letter) => !used.has(first + letter));
    if (free !== undefined) return first + free;
  }
  return "A";
}

function stateOf({ isActive, isTokenCreationPaused }: Queue) {
  if (!isActive) return html`<span class="badge bad">Closed</span>`;
  return isTokenCreationPaused
    ? html`<span class="badge warn">Paused</span>`
    : html`<span class="badge good">Open</span>`;
}
