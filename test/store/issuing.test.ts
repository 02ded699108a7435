import type { EntryWithPosition } from "@queue-api/contract";
import { describe, expect, it } from "vitest";
import { entryWithPosition, readReceipt, receiptOf } from "../../server/src/rules/entry-answer.js";
import type { Claim } from "../../server/src/rules/idempotency.js";
import type { IssueOutcome } from "../../server/src/store/port/entries.js";
import { adapters } from "./support/adapters.js";
import { auditLog } from "./support/audit.js";
import {
  advice,
  auditRow,
  back,
  chair,
  clinic,
  consult,
  entry,
  front,
  haircut,
  id,
  importOf,
  retired,
  salon,
  today,
  token,
  tomorrow,
} from "./support/records.js";
import { freshStore } from "./support/store.js";

/** The entry in the receipt of an issued token. */
function issuedOf(outcome: IssueOutcome): EntryWithPosition {
  if (!("receipt" in outcome)) throw new Error(`no token was issued: ${outcome.outcome}`);
  return readReceipt(outcome.receipt).data;
}

describe.each(adapters)("issuing tokens in the $name store", (adapter) => {
  const opened = freshStore(adapter);

  async function claimOf(owner: string, fingerprint = "body"): Promise<Claim> {
    const request = { key: "key-0001", fingerprint, owner };
    const claimed = await opened().store.idempotency.claim(clinic.id, request);
    if (claimed.outcome !== "claimed") throw new Error(`not claimed: ${claimed.outcome}`);
    return claimed.claim;
  }

  it("numbers the tokens of each queue and day from 1", async () => {
    const { store } = opened();
    const places = [
      [front.id, today],
      [front.id, today],
      [front.id, tomorrow],
      [back.id, today],
      [front.id, today],
    ] as const;
    const labels = [];
    for (const [index, [queueId, date]] of places.entries()) {
      const request = token(`t${index}`, { queueId, date });
      const { tokenSeries, tokenNumber } = issuedOf(await store.entries.issue(clinic.id, request));
      labels.push(`${tokenSeries}${tokenNumber}`);
    }
    expect(labels).toEqual(["A1", "A2", "A1", "B1", "A3"]);
  });

  it("continues after the highest number of an imported day", async () => {
    const { store } = opened();
    const part = importOf(clinic, { queues: [front], entries: [entry(41), entry(7)] });
    await store.businesses.import([part], { replace: true });
    expect(issuedOf(await store.entries.issue(clinic.id, token("next"))).tokenNumber).toBe(42);
  });

  it("gives 200 concurrent requests 200 numbers without a gap", async () => {
    const { store } = opened();
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, (_, n) => store.entries.issue(clinic.id, token(`t${n}`))),
    );
    const numbers = outcomes.map((outcome) => issuedOf(outcome).tokenNumber);
    expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, n) => n + 1));
  });

  it("stores the requested entry with the service's time as its work, and returns it with its position", async () => {
    const { store } = opened();
    await store.entries.issue(clinic.id, token("first", { serviceId: consult.id }));
    await store.entries.issue(clinic.id, token("second", { serviceId: advice.id }));
    const asked = token("third", { serviceId: consult.id, customerName: null, priority: true });
    const outcome = await store.entries.issue(clinic.id, asked);
    const third = await store.entries.get(clinic.id, asked.id);
    expect(outcome).toEqual({ outcome: "issued", receipt: third && receiptOf(third) });
    expect(third).toEqual({
      entry: entry(3, {
        id: asked.id,
        serviceId: consult.id,
        workMinutes: 15,
        customerName: null,
        priority: true,
      }),
      line: {
        ahead: { people: 0, knownMinutes: 0, unknown: 0 },
        pace: { inService: 0, finished: 0, finishedMs: 0 },
      },
    });
    const last = issuedOf(await store.entries.issue(clinic.id, token("fourth")));
    const fourth = await store.entries.get(clinic.id, id("fourth"));
    expect(fourth?.line?.ahead).toEqual({ people: 3, knownMinutes: 30, unknown: 1 });
    expect(fourth && entryWithPosition(fourth)).toEqual(last);
  });

  it.each([
    ["queue_not_found", token("t", { queueId: id("none") })],
    ["queue_not_found", token("t", { queueId: chair.id })],
    ["service_unknown", token("t", { serviceId: id("none") })],
    ["service_unknown", token("t", { serviceId: retired.id })],
    ["service_unknown", token("t", { serviceId: haircut.id })],
    ["plan_limit_reached", token("t", { dailyTokenLimit: 0 })],
  ])("refuses with %s and stores nothing", async (outcome, request) => {
    const { store } = opened();
    const audited = { ...request, audit: auditRow("1") };
    expect(await store.entries.issue(clinic.id, audited)).toEqual({ outcome });
    expect(await store.entries.get(clinic.id, request.id)).toBeNull();
    expect(await auditLog(store, clinic.id, 10)).toEqual([]);
  });

  it("refuses on a paused queue, and reports an inactive queue before a paused one", async () => {
    const { store } = opened();
    await store.queues.change(clinic.id, front.id, { isTokenCreationPaused: true });
    expect(await store.entries.issue(clinic.id, token("t"))).toEqual({ outcome: "queue_paused" });
    await store.queues.change(clinic.id, front.id, { isActive: false });
    expect(await store.entries.issue(clinic.id, token("t"))).toEqual({
      outcome: "queue_unavailable",
    });
  });

  it("counts the daily limit over all queues of the business, canceled tokens included, from zero each day", async () => {
    const { store, clock } = opened();
    const limited = (name: string, changes = {}) =>
      store.entries.issue(clinic.id, token(name, { dailyTokenLimit: 2, ...changes }));
    await limited("one");
    await store.entries.move(clinic.id, id("one"), "cancel", clock());
    await limited("two", { queueId: back.id });
    expect(await limited("three")).toEqual({ outcome: "plan_limit_reached" });
    expect((await limited("four", { date: tomorrow })).outcome).toBe("issued");
    const other = token("five", { queueId: chair.id, dailyTokenLimit: 2 });
    expect((await store.entries.issue(salon.id, other)).outcome).toBe("issued");
  });

  it("issues exactly the daily limit under concurrent requests", async () => {
    const { store } = opened();
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        store.entries.issue(clinic.id, token(`t${n}`, { dailyTokenLimit: 7 })),
      ),
    );
    expect(outcomes.filter(({ outcome }) => outcome === "issued")).toHaveLength(7);
  });

  it("stores the audit row with the entry", async () => {
    const { store } = opened();
    await store.entries.issue(clinic.id, token("t", { audit: auditRow("1") }));
    expect(await auditLog(store, clinic.id, 10)).toEqual([auditRow("1")]);
  });

  it("stores nothing when the receipt fails, and loses nothing of other requests in the batch", async () => {
    const { store } = opened();
    const outcomes = await Promise.allSettled([
      store.entries.issue(clinic.id, token("before")),
      store.entries.issue(
        clinic.id,
        token("broken", { issuedAt: Number.NaN, audit: auditRow("1") }),
      ),
      store.entries.issue(clinic.id, token("after")),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(await store.entries.get(clinic.id, id("broken"))).toBeNull();
    expect(await auditLog(store, clinic.id, 10)).toEqual([]);
    const before = await store.entries.get(clinic.id, id("before"));
    const after = await store.entries.get(clinic.id, id("after"));
    expect(before?.entry.tokenNumber).not.toBe(after?.entry.tokenNumber);
    expect(after?.line?.ahead.people ?? 0).toBe(before?.line?.ahead.people === 0 ? 1 : 0);
  });

  it("stores the receipt under the claim for 24 hours", async () => {
    const { store, clock } = opened();
    const outcome = await store.entries.issue(
      clinic.id,
      token("t", { claim: await claimOf("owner1") }),
    );
    const again = { key: "key-0001", fingerprint: "body", owner: "owner2" };
    const receipt = "receipt" in outcome ? outcome.receipt : null;
    clock.advance(24 * 3_600_000 - 1);
    expect(await store.idempotency.claim(clinic.id, again)).toEqual({
      outcome: "replay",
      receipt,
    });
    clock.advance(1);
    expect((await store.idempotency.claim(clinic.id, again)).outcome).toBe("claimed");
  });

  it("issues one token when both the first request and the takeover write", async () => {
    const { store, clock } = opened();
    const slow = await claimOf("owner1");
    clock.advance(30_000);
    const second = await claimOf("owner2");
    expect(second.claimId).toBe(slow.claimId);

    const issued = await store.entries.issue(clinic.id, token("second", { claim: second }));
    const late = await store.entries.issue(clinic.id, token("slow", { claim: slow }));
    expect(late).toEqual({ ...issued, outcome: "replay" });
    expect(await store.entries.get(clinic.id, id("slow"))).toBeNull();
  });

  it("replays the first receipt when the earlier request finishes after the takeover", async () => {
    const { store, clock } = opened();
    const slow = await claimOf("owner1");
    clock.advance(30_000);
    const second = await claimOf("owner2");

    const issued = await store.entries.issue(clinic.id, token("slow", { claim: slow }));
    const receipt = "receipt" in issued ? issued.receipt : null;
    const again = { key: "key-0001", fingerprint: "body", owner: "owner3" };
    expect(await store.idempotency.claim(clinic.id, again)).toEqual({
      outcome: "replay",
      receipt,
    });

    await store.entries.issue(clinic.id, token("between"));
    const found = await store.entries.issue(clinic.id, token("second", { claim: second }));
    expect(found).toEqual({ outcome: "replay", receipt });
  });

  it("issues nothing for a request whose key was released or claimed again", async () => {
    const { store, clock } = opened();
    const zombie = await claimOf("owner1");
    clock.advance(30_000);
    await store.idempotency.release(clinic.id, await claimOf("owner2"));
    const late = () => store.entries.issue(clinic.id, token("late", { claim: zombie }));
    await expect(late()).rejects.toThrow("idempotency key");
    await claimOf("owner3", "another body");
    await expect(late()).rejects.toThrow("idempotency key");
    expect(await store.entries.get(clinic.id, id("late"))).toBeNull();
  });
});
