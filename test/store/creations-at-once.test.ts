import { describe, expect, it } from "vitest";
import { SeededRandom } from "../../server/src/lib/seeded-random.js";
import type { Store } from "../../server/src/operations/store.js";
import { behind, noneAhead, predictedWait } from "../../server/src/rules/line.js";
import type { Queue, Receipt, Service } from "../../server/src/rules/records.js";
import { adapters, start } from "./support/adapters.js";
import {
  advice,
  back,
  clinic,
  consult,
  front,
  haircut,
  id,
  retired,
  token,
} from "./support/records.js";
import { freshStore } from "./support/store.js";

const paused: Queue = { ...front, id: id("paused"), isTokenCreationPaused: true };
const closed: Queue = { ...front, id: id("closed"), isActive: false };
/** Has the last place of each day, and no creation asks for it. */
const apart: Queue = { ...front, id: id("apart") };

interface Combination {
  readonly queueId: string;
  /** Why the queue refuses every creation. */
  readonly refusal?: string;
  readonly serviceId: string | null;
  /** Null if the business does not offer the service. */
  readonly service: Pick<Service, "baseTimeMinutes"> | null;
  /** The bodies that are sent at the same time, with one key unless they are null. */
  readonly bodies: readonly (string | null)[];
  /** What they get, in alphabetical order. */
  readonly outcomes: readonly string[];
}

const queues = [
  { queueId: front.id },
  { queueId: back.id },
  { queueId: paused.id, refusal: "queue_paused" },
  { queueId: closed.id, refusal: "queue_unavailable" },
  { queueId: id("nowhere"), refusal: "queue_not_found" },
  { queueId: id("elsewhere"), refusal: "queue_not_found" },
];

const services = [
  { serviceId: null, service: { baseTimeMinutes: null } },
  { serviceId: consult.id, service: consult },
  { serviceId: advice.id, service: advice },
  { serviceId: retired.id, service: null },
  { serviceId: id("noservice"), service: null },
  { serviceId: haircut.id, service: null }, // of another business
];

const keys = [
  { bodies: [null], outcomes: ["issued"] },
  { bodies: ["body"], outcomes: ["issued"] },
  { bodies: ["body", "body"], outcomes: ["issued", "replay"] },
  { bodies: ["body", "other"], outcomes: ["issued", "reused"] },
];

const combinations: readonly Combination[] = queues.flatMap((queue) =>
  services.flatMap((service) => keys.map((key) => ({ ...queue, ...service, ...key }))),
);

/** What the creations of a combination get, whatever is asked at the same time. */
function expected({ refusal, service, outcomes }: Combination): readonly string[] {
  const refused = service || refusal === "queue_not_found" ? refusal : "service_unknown";
  return outcomes.map((outcome) => refused ?? outcome);
}

const minute = 60_000;
const day = 24 * 60 * minute;

/** What was served in an open queue before a round. Unknown work counts as these ten minutes. */
const pace = { inService: 0, finished: 1, finishedMs: 10 * minute };

async function openDay({ entries }: Store, date: string): Promise<void> {
  for (const queueId of [front.id, back.id]) {
    const served = token(`${queueId.slice(0, 5)}${Date.parse(date)}`, { queueId, date });
    await entries.issue(clinic.id, served);
    await entries.callNext(clinic.id, queueId, date, start);
    await entries.transition(clinic.id, served.id, "complete", start + pace.finishedMs);
  }
  await entries.issue(clinic.id, token(`apart${Date.parse(date)}`, { queueId: apart.id, date }));
}

/** The creations of a round on one day, forty on average: some of the combinations, in some order. */
function creationsOf(date: string, random: SeededRandom) {
  const shuffled = combinations
    .map((combination) => ({ combination, at: random.next() }))
    .sort((one, other) => one.at - other.at);
  return shuffled.slice(0, 27).map(({ combination }, at) => {
    const { queueId, serviceId, bodies } = combination;
    const key = `${date}-${at}`;
    const requests = bodies.map((body, of) => {
      const keyed = body === null ? null : { key, fingerprint: body };
      const name = `n${Date.parse(date)}${"abcdefgh"[of]}${at}`;
      return token(name, { queueId, serviceId, date, keyed });
    });
    return { combination, requests };
  });
}

describe.each(adapters)("creations at one moment in the $name store", (adapter) => {
  const opened = freshStore(adapter);

  it("are each answered by what they ask for", async () => {
    const { store } = await opened.with({ queues: [front, back, paused, closed, apart] });
    const random = new SeededRandom(31);
    for (let round = 0; round < 200; round++) {
      const date = new Date(start + round * day).toISOString().slice(0, 10);
      await openDay(store, date);
      const answered = await Promise.all(
        creationsOf(date, random).map(async ({ combination, requests }) => {
          const issue = store.entries.issue;
          const all = requests.map((request) => issue(clinic.id, request));
          return { combination, outcomes: await Promise.all(all) };
        }),
      );

      const receipts = new Map<string, Receipt>();
      for (const { combination, outcomes } of answered) {
        const got = outcomes.map(({ outcome }) => outcome).sort();
        expect(got, JSON.stringify(combination)).toEqual(expected(combination));
        const given = outcomes.flatMap((one) => ("receipt" in one ? [one.receipt] : []));
        for (const receipt of given) {
          expect(receipt).toEqual(given[0]); // a replay has the receipt of what was issued
          receipts.set(receipt.entry.id, receipt);
        }
      }
      await expectLines(store, date, receipts);
    }
  }, 900_000); // for 8,000 creations on a machine that runs other suites too
});

/** Expects that each receipt says what is ahead of its entry, and that no number or place is missing. */
async function expectLines(store: Store, date: string, receipts: ReadonlyMap<string, Receipt>) {
  const places: number[] = [];
  for (const queueId of [front.id, back.id]) {
    const page = { limit: 100, after: null };
    const found = await store.entries.page(clinic.id, queueId, date, null, page);
    if (typeof found === "string") throw new Error(found);
    let ahead = noneAhead;
    for (const [at, { entry }] of found.items.entries()) {
      expect(entry.tokenNumber).toBe(at + 1);
      places.push(entry.placeInDay);
      if (entry.status !== "WAITING") continue;
      const receipt = receipts.get(entry.id);
      const asked = services.find(({ serviceId }) => serviceId === entry.serviceId);
      expect(receipt?.entry).toEqual(entry);
      expect(receipt?.line?.ahead.people).toBe(ahead.people);
      expect(receipt?.line && predictedWait(receipt.line.ahead, receipt.line.pace)).toBe(
        predictedWait(ahead, pace),
      );
      ahead = behind(ahead, asked?.service?.baseTimeMinutes ?? null);
    }
  }
  const apartPlace = 3;
  const all = [...places, apartPlace].sort((a, b) => a - b);
  expect(all).toEqual(all.map((_, at) => at + 1));
  expect(places).toHaveLength(receipts.size + 2);
}
