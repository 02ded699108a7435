import type { BusinessSeed, EntrySeed } from "../../support/seed.js";
import { textOf } from "./html.js";

/** A person in a queue of a seed. */
export function person(ref: string, changes: Partial<EntrySeed> = {}): EntrySeed {
  return { ref, name: `Person ${ref}`, phone: "919800000001", minutesAgo: 5, ...changes };
}

/** A clinic with an entry in every status, and three waiting entries. The last of these has priority. */
export const busyClinic: BusinessSeed = {
  queues: [
    {
      ref: "front",
      name: "Front desk",
      entries: [
        person("done", { status: "COMPLETED" }),
        person("gone", { status: "NO_SHOW" }),
        person("left", { status: "CANCELED" }),
        person("served", { status: "IN_SERVICE", service: "consult" }),
        person("first", { service: "consult" }),
        person("second"),
        person("urgent", { priority: true }),
      ],
    },
    { ref: "lab", name: "Laboratory", tokenSeries: "L" },
  ],
};

/** The kind and the text of the message on a page. */
export function messageOn(page: string): { readonly kind: string; readonly text: string } {
  const [, kind = "", text = ""] =
    /class="flash (\w+)"[^>]*>(?:<input[^>]*><p>)?(.*?)<\/p>/.exec(page) ?? [];
  return { kind, text: textOf(text) };
}

/** One queue's card on a page. */
export function cardOf(page: string, queueId: string): string {
  const card = new RegExp(`<section[^>]+id="queue-${queueId}".*?</section>`, "s").exec(page)?.[0];
  if (card === undefined) throw new Error("the page shows no such queue");
  return card;
}

/** The initial fields of the walk-in form on a card. */
export function walkInForm(card: string): Readonly<Record<string, string>> {
  const hidden = [...card.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)];
  const fields = Object.fromEntries(hidden.map(([, name = "", value = ""]) => [name, value]));
  return { ...fields, name: "", phone: "", service: "" };
}

/** The tokens on a page, in order. */
export const tokensIn = (page: string) =>
  [...page.matchAll(/class="token">([^<]+)</g)].map(([, token = ""]) => token);

/** The waiting tokens of a card, in order. */
export const lineOf = (card: string) =>
  tokensIn(/<ol class="people line".*?<\/ol>/s.exec(card)?.[0] ?? "");
