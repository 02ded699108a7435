import { describe, expect, it } from "vitest";
import type { Claim } from "../../server/src/rules/idempotency.js";
import { adapters } from "./support/adapters.js";
import { clinic, salon, token } from "./support/records.js";
import { freshStore } from "./support/store.js";

const request = { key: "key-0001", fingerprint: "body", owner: "owner1" };

describe.each(adapters)("idempotency keys in the $name store", (adapter) => {
  const opened = freshStore(adapter);

  const claim = (changes: Partial<typeof request> = {}, businessId = clinic.id) =>
    opened().store.idempotency.claim(businessId, { ...request, ...changes });

  it("gives a free key to the first claim, and to no other while the lease runs", async () => {
    expect(await claim()).toEqual({
      outcome: "claimed",
      claim: { key: "key-0001", claimId: "owner1", owner: "owner1" },
      takenOver: false,
    });
    opened().clock.advance(10_000);
    expect(await claim({ owner: "owner2" })).toEqual({
      outcome: "in_progress",
      retryAfterSeconds: 20,
    });
    expect(await claim({ owner: "owner2", fingerprint: "another" })).toEqual({ outcome: "reused" });
  });

  it("gives a key to one of many concurrent claims", async () => {
    const owners = Array.from({ length: 50 }, (_, n) => `owner${n}`);
    const outcomes = await Promise.all(owners.map((owner) => claim({ owner })));
    expect(outcomes.filter(({ outcome }) => outcome === "claimed")).toHaveLength(1);
    expect(outcomes.filter(({ outcome }) => outcome === "in_progress")).toHaveLength(49);
  });

  it("separates the same key of two businesses", async () => {
    await claim();
    expect((await claim({ owner: "owner2" }, salon.id)).outcome).toBe("claimed");
  });

  it("allows a takeover after the lease ends, with the same claim id", async () => {
    await claim();
    opened().clock.advance(30_000);
    expect(await claim({ owner: "owner2" })).toEqual({
      outcome: "claimed",
      claim: { key: "key-0001", claimId: "owner1", owner: "owner2" },
      takenOver: true,
    });
  });

  it("gives a released key to any request", async () => {
    const { store } = opened();
    const held: Claim = { key: "key-0001", claimId: "owner1", owner: "owner1" };
    await claim();
    await store.idempotency.release(clinic.id, held);
    expect(await claim({ owner: "owner2", fingerprint: "another" })).toMatchObject({
      outcome: "claimed",
      takenOver: false,
    });
  });

  it("releases a key only for its claim, and not after the key is finished", async () => {
    const { store, clock } = opened();
    const first: Claim = { key: "key-0001", claimId: "owner1", owner: "owner1" };
    await claim();
    clock.advance(30_000);
    await claim({ owner: "owner2" });
    await store.idempotency.release(clinic.id, first);
    expect((await claim({ owner: "owner3" })).outcome).toBe("in_progress");

    const second: Claim = { ...first, owner: "owner2" };
    await store.entries.issue(clinic.id, token("t", { claim: second }));
    await store.idempotency.release(clinic.id, second);
    expect((await claim({ owner: "owner3" })).outcome).toBe("replay");
  });

  it("allows a takeover at once when a lease was ended, with the same claim id", async () => {
    const { store } = opened();
    const held: Claim = { key: "key-0001", claimId: "owner1", owner: "owner1" };
    await claim();
    await store.idempotency.endLease(clinic.id, { ...held, owner: "somebody else" });
    expect((await claim({ owner: "owner2" })).outcome).toBe("in_progress");
    await store.idempotency.endLease(clinic.id, held);
    expect(await claim({ owner: "owner2", fingerprint: "another" })).toEqual({ outcome: "reused" });
    expect(await claim({ owner: "owner2" })).toEqual({
      outcome: "claimed",
      claim: { ...held, owner: "owner2" },
      takenOver: true,
    });
  });

  it("keeps the result of a finished request when its lease is ended", async () => {
    const { store } = opened();
    const held: Claim = { key: "key-0001", claimId: "owner1", owner: "owner1" };
    await claim();
    await store.entries.issue(clinic.id, token("t", { claim: held }));
    await store.idempotency.endLease(clinic.id, held);
    expect((await claim({ owner: "owner2" })).outcome).toBe("replay");
  });
});
