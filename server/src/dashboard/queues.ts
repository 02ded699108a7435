import { html } from "../lib/html.js";
import { mostQueues } from "../operations/business-items.js";
import { addQueue, queueOptions } from "../owner/queue.js";
import type { Queue } from "../rules/records.js";
import { asCapitals, asFlag, inputs } from "./forms.js";
import { namedRoutes } from "./resource.js";

const fields = {
  name: { label: "Name" },
  tokenSeries: { label: "Letters on its tokens", read: asCapitals },
  isActive: { label: "Open", read: asFlag },
  isTokenCreationPaused: { label: "Paused", read: asFlag },
};

/** The queues of the business. */
export const queues = namedRoutes<Queue>({
  path: "/queues",
  title: "Queues",
  one: "queue",
  purpose:
    "A queue is a line of people, such as those who wait at one desk. Tokens are issued in it, by this dashboard and by programs with a key.",
  kept: ({ queues }) => queues,
  add: addQueue,
  tooMany: `A business has at most ${mostQueues} queues. Change one that is closed.`,
  schema: queueOptions,
  fields,
  columns: [
    ["Tokens", ({ tokenSeries }) => `${tokenSeries}1, ${tokenSeries}2 …`],
    ["State", stateOf],
  ],
  toggle: {
    field: "isActive",
    labels: { on: "Open", off: "Close" },
    said: { on: "is open", off: "is closed: it takes no new tokens" },
  },
  form: (state, queue, all) => {
    const { name, isActive = true, isTokenCreationPaused = false } = queue ?? {};
    const { text, check } = inputs(state, fields);
    const hint =
      "1 to 10 letters from A to Z. Use different letters for each queue, so that people can distinguish its tokens. Tokens that are already issued do not change.";
    const letters = queue?.tokenSeries ?? freeLetters(all);
    const paused = "Takes no new tokens for now";
    return [
      text({ name: "name", value: name, attributes: html`maxlength="240" required` }),
      text({
        name: "tokenSeries",
        hint,
        value: letters,
        attributes: html`maxlength="10" required`,
      }),
      check({ name: "isActive", checked: isActive }),
      check({ name: "isTokenCreationPaused", label: paused, checked: isTokenCreationPaused }),
    ];
  },
  warning: ({ tokenSeries }, others) => {
    const same = others.find(
      (other) => other.tokenSeries.toUpperCase() === tokenSeries.toUpperCase(),
    );
    if (!same) return null;
    return `Its tokens begin with ${tokenSeries}, as those of ${same.name}: people may confuse them.`;
  },
});

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

function stateOf({ isActive, isTokenCreationPaused }: Queue) {
  if (!isActive) return html`<span class="badge bad">Closed</span>`;
  return isTokenCreationPaused
    ? html`<span class="badge warn">Paused</span>`
    : html`<span class="badge good">Open</span>`;
}
