import { describe, expect, it } from "vitest";
import { mostAccounts } from "../../server/src/operations/accounts.js";
import type { Store } from "../../server/src/operations/store.js";
import { importBusinesses } from "../../server/src/owner/import-business.js";
import { mostSessions, newOwnerSession } from "../../server/src/rules/owner-session.js";
import type { Owner } from "../../server/src/rules/records.js";
import type { SignInAdmission } from "../../server/src/rules/sign-in.js";
import { adapters } from "./support/adapters.js";
import { clinic, id, importOf, invited, owner, salon } from "./support/records.js";
import { freshStore } from "./support/store.js";

const hour = 3_600_000;

/** Adds an owner who has set their password. */
async function settled(store: Store, name: string, changes: Partial<Owner> = {}): Promise<Owner> {
  const added = owner(name, changes);
  const { businessId, id } = added;
  const linkTokenHash = `link of ${name}`;
  await store.accounts.add(businessId, invited(added, (await store.now()) + hour, linkTokenHash));
  const proof = { linkTokenHash };
  const ready = await store.accounts.setPassword(businessId, id, `hash of ${name}`, proof);
  if (!ready) throw new Error("the link was not taken");
  return ready;
}

async function signIn(store: Store, who: Owner, tokenHash: string): Promise<boolean> {
  const session = newOwnerSession(who, tokenHash, await store.now());
  return store.sessions.start(who.businessId, session, who.passwordHash ?? "");
}

function admitted(admissions: readonly SignInAdmission[]): number {
  return admissions.filter(({ outcome }) => outcome === "admitted").length;
}

describe.each(adapters)("owner accounts in the $name store", (adapter) => {
  const opened = freshStore(adapter);

  describe("owners", () => {
    it("stores an e-mail address once in each business, under concurrent additions", async () => {
      const { store, clock } = opened();
      const outcomes = await Promise.all(
        [clinic, salon, clinic, salon].map((business, n) => {
          const one = owner(`twin${n}`, { businessId: business.id, email: "a@clinic.example" });
          return store.accounts.add(business.id, invited(one, clock() + hour));
        }),
      );
      const each = ["added", "email_taken"];
      expect([outcomes[0], outcomes[2]].toSorted()).toEqual(each);
      expect([outcomes[1], outcomes[3]].toSorted()).toEqual(each);
      const found = await store.accounts.byEmail("a@clinic.example");
      expect(found.map(({ businessId }) => businessId).toSorted()).toEqual([clinic.id, salon.id]);
    });

    it("keeps the last owner with a password if asked to, even when owners remove each other", async () => {
      const { store, clock } = opened();
      const anna = await settled(store, "anna");
      const bert = await settled(store, "bert");
      const carl = await settled(store, "carl", { role: "staff" });
      await store.accounts.add(clinic.id, invited(owner("invited"), clock() + hour));
      const remove = ({ id }: Owner) => store.accounts.remove(clinic.id, id, { keepOwner: true });
      const outcomes = await Promise.all([remove(anna), remove(bert)]);
      expect(outcomes.toSorted()).toEqual(["last_owner", "removed"]);
      expect(await remove(carl)).toBe("removed");
      expect(await store.accounts.list(clinic.id)).toHaveLength(2);
    });

    it("change their role, but for the last owner with a password, even when owners change each other", async () => {
      const { store } = opened();
      const anna = await settled(store, "anna");
      const bert = await settled(store, "bert");
      const change = ({ id }: Owner, role: Owner["role"], businessId = clinic.id) =>
        store.accounts.changeRole(businessId, id, role);
      const outcomes = await Promise.all([change(anna, "staff"), change(bert, "staff")]);
      expect(outcomes.toSorted()).toEqual(["changed", "last_owner"]);
      expect(await change(anna, "owner")).toBe("changed");
      expect(await change(anna, "owner")).toBe("changed");
      expect(await change(bert, "staff", salon.id)).toBe("not_found");
      const roles = (await store.accounts.list(clinic.id)).map(({ role }) => role);
      expect(roles).toContain("owner");
    });

    it("are at most 200 in a business, under concurrent additions", async () => {
      const { store } = opened();
      for (let n = 0; n < mostAccounts - 1; n++) {
        await store.accounts.add(clinic.id, owner(`owner${n}`));
      }
      const last = await Promise.all(
        ["a", "b", "c"].map((name) => store.accounts.add(clinic.id, owner(name))),
      );
      expect(last.toSorted()).toEqual(["added", "too_many_accounts", "too_many_accounts"]);
      expect(await store.accounts.list(clinic.id)).toHaveLength(200);
      expect(await store.accounts.add(salon.id, owner("x", { businessId: salon.id }))).toBe(
        "added",
      );
    });

    it("are removed when their business is replaced", async () => {
      const { store } = opened();
      const anna = await settled(store, "anna");
      const bert = await settled(store, "bert", { businessId: salon.id });
      await signIn(store, anna, "anna's");
      await signIn(store, bert, "bert's");
      await importBusinesses(store, [importOf({ ...clinic, id: id("new") })], { replace: true });
      expect(await store.accounts.list(clinic.id)).toEqual([]);
      expect(await store.accounts.byEmail(anna.email)).toEqual([]);
      expect(await store.sessions.get("anna's")).toBeNull();
      expect((await store.sessions.get("bert's"))?.owner).toEqual(bert);
    });
  });

  describe("the link to set a password", () => {
    it("sets one of many concurrent passwords", async () => {
      const { store, clock } = opened();
      const anna = owner("anna");
      await store.accounts.add(clinic.id, invited(anna, clock() + hour, "link"));
      const proof = { linkTokenHash: "link" };
      const set = await Promise.all(
        ["a", "b", "c"].map((hash) => store.accounts.setPassword(clinic.id, anna.id, hash, proof)),
      );
      const [winner, ...others] = set.filter((after) => after !== null);
      expect(others).toEqual([]);
      expect(await store.accounts.list(clinic.id)).toEqual([winner]);
    });
  });

  describe("a password that is changed", () => {
    it("is one of many concurrent changes", async () => {
      const { store } = opened();
      const anna = await settled(store, "anna");
      const proof = { passwordHash: "hash of anna" };
      const set = await Promise.all(
        ["a", "b", "c"].map((to) => store.accounts.setPassword(clinic.id, anna.id, to, proof)),
      );
      const [winner, ...others] = set.filter((after) => after !== null);
      expect(others).toEqual([]);
      expect(await store.accounts.list(clinic.id)).toEqual([winner]);
    });
  });

  describe("sessions", () => {
    it("are limited per owner: one more ends the oldest", async () => {
      const { store } = opened();
      const anna = await settled(store, "anna");
      const bert = await settled(store, "bert");
      await signIn(store, bert, "bert's");
      for (let n = 0; n <= mostSessions; n++) await signIn(store, anna, `session${n}`);
      expect(await store.sessions.get("session0")).toBeNull();
      expect(await store.sessions.get("session1")).not.toBeNull();
      expect(await store.sessions.get(`session${mostSessions}`)).not.toBeNull();
      expect(await store.sessions.get("bert's")).not.toBeNull();
    });
  });

  describe("the throttle of sign-ins", () => {
    const from = (subject: string, email: string) => ({ subject, email, browser: null });

    it("admits ten from an address in ten minutes, under concurrent attempts", async () => {
      const { store, clock } = opened();
      const attempts = Array.from({ length: 25 }, (_, n) => from("203.0.113.7", `${n}@a.example`));
      const admissions = await Promise.all(attempts.map((one) => store.signIns.admit(one)));
      expect(admitted(admissions)).toBe(10);
      expect(admissions).toContainEqual({ outcome: "throttled", retryAfterSeconds: 600 });
      clock.advance(599_000);
      expect(await store.signIns.admit(from("203.0.113.7", "new@a.example"))).toEqual({
        outcome: "throttled",
        retryAfterSeconds: 1,
      });
      expect(await store.signIns.admit(from("198.51.100.1", "new@a.example"))).toEqual({
        outcome: "admitted",
        now: clock(),
      });
      clock.advance(1_000);
      const again = await store.signIns.admit(from("203.0.113.7", "new@a.example"));
      expect(again.outcome).toBe("admitted");
    });

    it("admits ten for an e-mail address in ten minutes, from any addresses", async () => {
      const { store, clock } = opened();
      const attempts = Array.from({ length: 25 }, (_, n) => from(`10.0.0.${n}`, "a@a.example"));
      const admissions = await Promise.all(attempts.map((one) => store.signIns.admit(one)));
      expect(admitted(admissions)).toBe(10);
      expect((await store.signIns.admit(from("10.0.0.99", "b@a.example"))).outcome).toBe(
        "admitted",
      );
      clock.advance(600_000);
      expect((await store.signIns.admit(from("10.0.1.1", "a@a.example"))).outcome).toBe("admitted");
    });
  });
});
