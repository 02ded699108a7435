import { describe, expect, it } from "vitest";
import { adapters } from "./support/adapters.js";
import { attempt, clinic, failedAttempt, id, kiosk, mirror } from "./support/records.js";
import { freshStore } from "./support/store.js";

const requestLimit = { name: "requests", limit: 5, seconds: 60 };
const writeLimit = { name: "writes", limit: 2, seconds: 60 };
const signInLimit = { name: "sign-ins", limit: 30, seconds: 600 };

describe.each(adapters)("admission by the $name store", (adapter) => {
  const opened = freshStore(adapter);

  it("admits a valid key, with its business and the time", async () => {
    const { store, clock } = opened();
    expect(await store.admission.admit(attempt())).toEqual({
      outcome: "admitted",
      key: kiosk,
      business: clinic,
      now: clock(),
      window: { limit: 5, remaining: 4, resetSeconds: 60, policy: [requestLimit, writeLimit] },
    });
  });

  it("counts every request, and refuses requests beyond the limit until the window ends", async () => {
    const { store, clock } = opened();
    const outcomes = [];
    for (let n = 0; n < 6; n++) outcomes.push((await store.admission.admit(attempt())).outcome);
    expect(outcomes).toEqual([...Array(5).fill("admitted"), "rate_limited"]);
    clock.advance(59_999);
    expect((await store.admission.admit(attempt())).outcome).toBe("rate_limited");
    clock.advance(1);
    expect((await store.admission.admit(attempt())).outcome).toBe("admitted");
  });

  it("admits exactly the limit of concurrent requests", async () => {
    const { store } = opened();
    const admissions = await Promise.all(
      Array.from({ length: 40 }, () => store.admission.admit(attempt())),
    );
    const admitted = admissions.filter(({ outcome }) => outcome === "admitted");
    expect(admitted.map(({ window }) => window.remaining)).toEqual([4, 3, 2, 1, 0]);
  });

  it("counts writes in their own window, and a refused write in neither window", async () => {
    const { store } = opened();
    const write = attempt({ write: true });
    expect((await store.admission.admit(write)).window).toEqual({
      limit: 2,
      remaining: 1,
      resetSeconds: 60,
      policy: [writeLimit, requestLimit],
    });
    expect((await store.admission.admit(write)).outcome).toBe("admitted");
    expect((await store.admission.admit(write)).outcome).toBe("rate_limited");
    expect((await store.admission.admit(attempt())).window.remaining).toBe(2);
  });

  it("keeps the count of writes when a read follows", async () => {
    const { store } = opened();
    await store.admission.admit(attempt({ write: true }));
    await store.admission.admit(attempt());
    const policy = [writeLimit, requestLimit];
    const window = { limit: 2, remaining: 0, resetSeconds: 60, policy };
    expect((await store.admission.admit(attempt({ write: true }))).window).toEqual(window);
  });

  it("counts the windows of two keys separately", async () => {
    const { store } = opened();
    await store.admission.admit(attempt());
    const credentials = { keyId: mirror.id, secretHash: mirror.secretHash };
    expect((await store.admission.admit(attempt({ credentials }))).window.remaining).toBe(4);
  });

  it.each([
    ["a wrong secret", failedAttempt()],
    [
      "an unknown key",
      attempt({ credentials: { keyId: id("nokey"), secretHash: kiosk.secretHash } }),
    ],
    ["no key", attempt({ credentials: null })],
  ])("counts %s as a failed sign-in of the address", async (_what, tried) => {
    const { store } = opened();
    const window = { limit: 30, remaining: 29, resetSeconds: 600, policy: [signInLimit] };
    expect(await store.admission.admit(tried)).toEqual({ outcome: "unauthorized", window });
    expect(await store.admission.signInWindow(tried.subject)).toEqual(window);
  });

  it("bars an address after 30 failed sign-ins for the rest of the window, even with a valid key", async () => {
    const { store, clock } = opened();
    const failed = await Promise.all(
      Array.from({ length: 31 }, () => store.admission.admit(failedAttempt())),
    );
    expect(failed.map(({ outcome }) => outcome)).toEqual([
      ...Array(30).fill("unauthorized"),
      "barred",
    ]);
    expect((await store.admission.admit(attempt())).outcome).toBe("barred");
    expect((await store.admission.admit(attempt({ subject: "198.51.100.1" }))).outcome).toBe(
      "admitted",
    );
    clock.advance(600_000);
    expect((await store.admission.admit(attempt())).outcome).toBe("admitted");
  });

  it("reports an untouched window for an address that has not failed", async () => {
    const { store } = opened();
    expect(await store.admission.signInWindow("192.0.2.1")).toEqual({
      limit: 30,
      remaining: 30,
      resetSeconds: 600,
      policy: [signInLimit],
    });
  });

  it("uses the current switch, allowlist and revocation", async () => {
    const { store, clock } = opened();
    await store.businesses.change(clinic.id, { apiAccess: false });
    expect((await store.admission.admit(attempt())).outcome).toBe("access_disabled");
    await store.businesses.change(clinic.id, { apiAccess: true });
    await store.keys.revoke(clinic.id, kiosk.id, clock());
    expect((await store.admission.admit(attempt())).outcome).toBe("unauthorized");

    const fenced = { ...kiosk, id: id("fenced"), allowIps: ["198.51.100.0/24", "2001:db8::1"] };
    await store.keys.add(clinic.id, fenced);
    const credentials = { keyId: fenced.id, secretHash: fenced.secretHash };
    expect((await store.admission.admit(attempt({ credentials }))).outcome).toBe("ip_not_allowed");
    const inside = attempt({ credentials, address: "198.51.100.9" });
    expect((await store.admission.admit(inside)).outcome).toBe("admitted");
  });
});
