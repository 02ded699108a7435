import type { BusinessSeed, EntrySeed } from "../../support/seed.js";

/** Somebody in a queue of a seed. */
export function person(ref: string, changes: Partial<EntrySeed> = {}): EntrySeed {
  return { ref, name: `Person ${ref}`, phone: "919800000001", minutesAgo: 5, ...changes };
}

/** A clinic with somebody in every state, and three who wait; the last of them goes first. */
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

/** A text of HTML without its tags, and with single spaces. */
export function words(page: string): string {
  const text = page
    .replace(/<[^>]+>/g, " ")
    .replaceAll("&amp;", "&")
    .replaceAll("&quot;", '"');
  return text.replace(/\s+/g, " ").trim();
}

/** One queue's card on a page. */
export function cardOf(page: string, queueId: string): string {
  const card = new RegExp(`<section[^>]+id="queue-${queueId}".*?</section>`, "s").exec(page)?.[0];
  if (card === undefined) throw new Error("the page shows no such queue");
  return card;
}

/** What the form for a walk-in on a card holds before anything is filled in. */
export function walkInForm(card: string): Readonly<Record<string, string>> {
  const hidden = [...card.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)];
  const fields = Object.fromEntries(hidden.map(([, name = "", value = ""]) => [name, value]));
  return { ...fields, name: "", phone: "", service: "" };
}

/** The tokens that wait, in the order in which a card shows them. */
export function lineOf(card: string): string[] {
  const line = /<ol class="people line".*?<\/ol>/s.exec(card)?.[0] ?? "";
  return [...line.matchAll(/class="token">([^<]+)</g)].map(([, token]) => token ?? "");
}
