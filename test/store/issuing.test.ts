import { type EntryWithPosition, limits } from "@queue-api/contract";
import { describe, expect, it } from "vitest";
import type { IssueOutcome } from "../../server/src/operations/issue.js";
import type { KeyedRequest } from "../../server/src/rules/idempotency.js";
import { entryWithPosition } from "../../server/src/rules/resources.js";
import { adapters } from "./support/adapters.js";
import {
  back,
  chair,
  clinic,
  entry,
  front,
  id,
  today,
  token,
  tomorrow,
} from "./support/records.js";
import { freshStore } from "./support/store.js";

/** The entry in the receipt of an issued token. */
function issuedOf(outcome: IssueOutcome): EntryWithPosition {
  if (!("receipt" in outcome)) throw new Error(`no token was issued: ${outcome.outcome}`);
  return entryWithPosition(outcome.receipt);
}

const day = 24 * 3_600_000;
const keyed: KeyedRequest = { key: "key-0001", fingerprint: "body" };

describe.each(adapters)("issuing tokens in the $name store", (adapter) => {
  const opened = freshStore(adapter);

  it("gives 200 concurrent requests 200 numbers without a gap", async () => {
    const { store } = opened();
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, (_, n) => store.entries.issue(clinic.id, token(`t${n}`))),
    );
    const numbers = outcomes.map((outcome) => issuedOf(outcome).tokenNumber);
    expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, n) => n + 1));
  });

  it("issues exactly the daily limit under concurrent requests to two queues", async () => {
    const { store } = opened();
    await store.businesses.change(clinic.id, { dailyTokenLimit: 7 });
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        store.entries.issue(
          clinic.id,
          token(`t${n}`, { queueId: n % 2 === 0 ? front.id : back.id }),
        ),
      ),
    );
    expect(outcomes.filter(({ outcome }) => outcome === "issued")).toHaveLength(7);
    expect(outcomes.filter(({ outcome }) => outcome === "plan_limit_reached")).toHaveLength(33);
  });

  it("gives 10,000 numbers of a queue and day, and no more", async () => {
    const last = entry(limits.queueTokensPerDay - 1);
    const { store } = await opened.with({ entries: [last] });
    const ten = await store.entries.issue(clinic.id, token("last"));
    expect(issuedOf(ten).tokenNumber).toBe(10_000);
    const full = { outcome: "plan_limit_reached" };
    expect(await store.entries.issue(clinic.id, token("more"))).toEqual(full);
    await store.entries.issue(clinic.id, token("other", { queueId: back.id }));
    expect(await store.entries.transfer(clinic.id, id("other"), front.id)).toEqual(full);
    const next = await store.entries.issue(clinic.id, token("next", { date: tomorrow }));
    expect(next.outcome).toBe("issued");
  });

  it("gives tokens beside requests for unknown queues, when another queue has the day's last place", async () => {
    const { store } = opened();
    await store.entries.issue(clinic.id, token("before", { queueId: back.id }));
    const outcomes = await Promise.all([
      store.entries.issue(clinic.id, token("one")),
      store.entries.issue(clinic.id, token("nowhere", { queueId: id("nowhere") })),
      store.entries.issue(clinic.id, token("two")),
    ]);
    const unknown = "queue_not_found";
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(["issued", unknown, "issued"]);
  });

  it("never gives the number again that a person left", async () => {
    const { store } = opened();
    for (const name of ["one", "two"]) await store.entries.issue(clinic.id, token(name));
    await store.entries.transfer(clinic.id, id("two"), back.id);
    const three = await store.entries.issue(clinic.id, token("three"));
    expect(issuedOf(three).token).toBe("A3");
    await store.entries.move(clinic.id, id("two"), "undo", 1);
    const other = await store.entries.issue(clinic.id, token("other", { queueId: back.id }));
    expect(issuedOf(other).token).toBe("B2");
  });
});

describe.each(adapters)("an idempotency key in the $name store", (adapter) => {
  const opened = freshStore(adapter);

  const issue = (name: string, changes: Partial<KeyedRequest> = {}, businessId = clinic.id) => {
    const queueId = businessId === clinic.id ? front.id : chair.id;
    const request = token(name, { queueId, keyed: { ...keyed, ...changes } });
    return opened().store.entries.issue(businessId, request);
  };

  it("issues one token to 50 concurrent requests, and replays it to the others", async () => {
    const { store } = opened();
    const outcomes = await Promise.all(Array.from({ length: 50 }, (_, n) => issue(`t${n}`)));
    expect(outcomes.filter(({ outcome }) => outcome === "issued")).toHaveLength(1);
    expect(outcomes.filter(({ outcome }) => outcome === "replay")).toHaveLength(49);
    expect(new Set(outcomes.map((outcome) => issuedOf(outcome).id)).size).toBe(1);
    expect((await store.queues.day(clinic.id, front.id, today))?.counts.WAITING).toBe(1);
  });

  it("issues one token to concurrent requests after another request's 24 hours", async () => {
    const { clock } = opened();
    await issue("old");
    clock.advance(day);
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, n) => issue(`t${n}`)));
    expect(outcomes.filter(({ outcome }) => outcome === "issued")).toHaveLength(1);
    expect(outcomes.filter(({ outcome }) => outcome === "replay")).toHaveLength(19);
  });
});
