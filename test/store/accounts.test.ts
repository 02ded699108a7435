import { describe, expect, it } from "vitest";
import { mostSessions, newOwnerSession } from "../../server/src/rules/owner-session.js";
import type { Owner, PasswordLink } from "../../server/src/rules/records.js";
import type { SignInAdmission } from "../../server/src/rules/sign-in.js";
import { importBusinesses } from "../../server/src/store/import-business.js";
import type { Store } from "../../server/src/store/store.js";
import { adapters } from "./support/adapters.js";
import { clinic, id, importOf, linkOf, owner, salon } from "./support/records.js";
import { freshStore } from "./support/store.js";

const hour = 3_600_000;

/** Adds an owner who has set their password. */
async function settled(store: Store, name: string, changes: Partial<Owner> = {}): Promise<Owner> {
  const added = owner(name, changes);
  const link = linkOf(added, (await store.now()) + hour, `link of ${name}`);
  await store.accounts.add(added.businessId, added, link);
  const ready = await store.accounts.setPassword(link.tokenHash, `hash of ${name}`);
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
    it("lists the owners of a business in the order of addition, with every field", async () => {
      const { store, clock } = opened();
      const late = owner("late", { createdAt: clock() + 1 });
      const others = owner("other", { businessId: salon.id, passwordHash: "$scrypt$ln=1$a$b" });
      for (const one of [late, owner("b"), owner("a"), others]) {
        expect(await store.accounts.add(one.businessId, one, linkOf(one, clock() + 1))).toBe(
          "added",
        );
      }
      expect(await store.accounts.list(clinic.id)).toEqual([owner("a"), owner("b"), late]);
      expect(await store.accounts.list(salon.id)).toEqual([others]);
      expect(await store.accounts.byEmail(others.email)).toEqual([others]);
      expect(await store.accounts.byEmail("nobody@clinic.example")).toEqual([]);
    });

    it("stores an e-mail address once in each business, under concurrent additions", async () => {
      const { store, clock } = opened();
      const outcomes = await Promise.all(
        [clinic, salon, clinic, salon].map((business, n) => {
          const one = owner(`twin${n}`, { businessId: business.id, email: "a@clinic.example" });
          return store.accounts.add(business.id, one, linkOf(one, clock() + hour));
        }),
      );
      const each = ["added", "email_taken"];
      expect([outcomes[0], outcomes[2]].toSorted()).toEqual(each);
      expect([outcomes[1], outcomes[3]].toSorted()).toEqual(each);
      const found = await store.accounts.byEmail("a@clinic.example");
      expect(found.map(({ businessId }) => businessId).toSorted()).toEqual([clinic.id, salon.id]);
    });

    it("removes an owner with their link and sessions, and frees their e-mail address", async () => {
      const { store, clock } = opened();
      const anna = await settled(store, "anna");
      await signIn(store, anna, "session");
      await store.accounts.replacePasswordLink(
        clinic.id,
        anna.id,
        linkOf(anna, clock() + hour, "new"),
      );
      const remove = (businessId: string) =>
        store.accounts.remove(businessId, anna.id, { keepOwner: false });
      expect(await remove(salon.id)).toBe("not_found");
      expect(await store.sessions.get("session")).not.toBeNull();
      expect(await remove(clinic.id)).toBe("removed");
      expect(await remove(clinic.id)).toBe("not_found");
      expect(await store.sessions.get("session")).toBeNull();
      expect(await store.accounts.byPasswordLink("new")).toBeNull();
      expect(await store.accounts.list(clinic.id)).toEqual([]);
      await settled(store, "another", { email: anna.email });
      expect(await store.sessions.get("session")).toBeNull();
    });

    it("keeps the last owner with a password if asked to, even when owners remove each other", async () => {
      const { store, clock } = opened();
      const anna = await settled(store, "anna");
      const bert = await settled(store, "bert");
      const carl = await settled(store, "carl", { role: "staff" });
      const invited = owner("invited");
      await store.accounts.add(clinic.id, invited, linkOf(invited, clock() + hour));
      const remove = ({ id }: Owner) => store.accounts.remove(clinic.id, id, { keepOwner: true });
      const outcomes = await Promise.all([remove(anna), remove(bert)]);
      expect(outcomes.toSorted()).toEqual(["last_owner", "removed"]);
      expect(await remove(carl)).toBe("removed");
      expect(await store.accounts.list(clinic.id)).toHaveLength(2);
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
    it("can be read any number of times, and sets the password once", async () => {
      const { store, clock } = opened();
      const anna = owner("anna");
      await store.accounts.add(clinic.id, anna, linkOf(anna, clock() + hour, "link"));
      expect(await store.accounts.byPasswordLink("link")).toEqual(anna);
      expect(await store.accounts.byPasswordLink("link")).toEqual(anna);
      const ready = { ...anna, passwordHash: "$scrypt$ln=1$a$b" };
      expect(await store.accounts.setPassword("link", "$scrypt$ln=1$a$b")).toEqual(ready);
      expect(await store.accounts.byEmail(anna.email)).toEqual([ready]);
      expect(await store.accounts.byPasswordLink("link")).toBeNull();
      expect(await store.accounts.setPassword("link", "another")).toBeNull();
      expect(await store.accounts.list(clinic.id)).toEqual([ready]);
    });

    it("sets one of many concurrent passwords", async () => {
      const { store, clock } = opened();
      const anna = owner("anna");
      await store.accounts.add(clinic.id, anna, linkOf(anna, clock() + hour, "link"));
      const set = await Promise.all(
        ["a", "b", "c"].map((hash) => store.accounts.setPassword("link", hash)),
      );
      const [winner, ...others] = set.filter((after) => after !== null);
      expect(others).toEqual([]);
      expect(await store.accounts.list(clinic.id)).toEqual([winner]);
    });

    it("expires", async () => {
      const { store, clock } = opened();
      const anna = owner("anna");
      await store.accounts.add(clinic.id, anna, linkOf(anna, clock() + hour, "link"));
      clock.advance(hour - 1);
      expect(await store.accounts.byPasswordLink("link")).toEqual(anna);
      clock.advance(1);
      expect(await store.accounts.byPasswordLink("link")).toBeNull();
      expect(await store.accounts.setPassword("link", "late")).toBeNull();
      expect(await store.accounts.list(clinic.id)).toEqual([anna]);
    });

    it("is invalid when a newer link exists", async () => {
      const { store, clock } = opened();
      const anna = owner("anna");
      const link = (token: string): PasswordLink => linkOf(anna, clock() + hour, token);
      await store.accounts.add(clinic.id, anna, link("first"));
      expect(await store.accounts.replacePasswordLink(clinic.id, anna.id, link("second"))).toBe(
        true,
      );
      expect(await store.accounts.setPassword("first", "hash")).toBeNull();
      expect(await store.accounts.replacePasswordLink(salon.id, anna.id, link("third"))).toBe(
        false,
      );
      expect(await store.accounts.replacePasswordLink(clinic.id, id("none"), link("third"))).toBe(
        false,
      );
      expect(await store.accounts.byPasswordLink("third")).toBeNull();
      expect(await store.accounts.byPasswordLink("second")).toEqual(anna);
    });

    it("ends the sessions of its owner only, when it sets a password", async () => {
      const { store, clock } = opened();
      const anna = await settled(store, "anna");
      const bert = await settled(store, "bert");
      await signIn(store, anna, "phone");
      await signIn(store, anna, "tablet");
      await signIn(store, bert, "bert's");
      await store.accounts.replacePasswordLink(
        clinic.id,
        anna.id,
        linkOf(anna, clock() + hour, "new"),
      );
      expect(await store.sessions.get("phone")).not.toBeNull();
      await store.accounts.setPassword("new", "another hash");
      expect(await store.sessions.get("phone")).toBeNull();
      expect(await store.sessions.get("tablet")).toBeNull();
      expect(await store.sessions.get("bert's")).not.toBeNull();
    });
  });

  describe("a password that is changed", () => {
    const change = { from: "hash of anna", to: "another hash" };

    it("replaces the previous password, and ends the sessions of its owner only", async () => {
      const { store } = opened();
      const anna = await settled(store, "anna");
      const bert = await settled(store, "bert");
      await signIn(store, anna, "phone");
      await signIn(store, anna, "tablet");
      await signIn(store, bert, "bert's");
      expect(await store.accounts.changePassword(clinic.id, anna.id, change)).toBe(true);
      const after = { ...anna, passwordHash: "another hash" };
      expect(await store.accounts.list(clinic.id)).toEqual([after, bert]);
      expect(await store.sessions.get("phone")).toBeNull();
      expect(await store.sessions.get("tablet")).toBeNull();
      expect(await store.sessions.get("bert's")).not.toBeNull();
      expect(await signIn(store, anna, "late")).toBe(false);
      expect(await signIn(store, after, "new")).toBe(true);
    });

    it("removes the link to set a password", async () => {
      const { store, clock } = opened();
      const anna = await settled(store, "anna");
      await store.accounts.replacePasswordLink(
        clinic.id,
        anna.id,
        linkOf(anna, clock() + hour, "lost"),
      );
      await store.accounts.changePassword(clinic.id, anna.id, change);
      expect(await store.accounts.byPasswordLink("lost")).toBeNull();
      expect(await store.accounts.setPassword("lost", "a third hash")).toBeNull();
    });

    it("is stored only for the current password of an owner of this business", async () => {
      const { store, clock } = opened();
      const anna = await settled(store, "anna");
      const invited = owner("invited");
      await store.accounts.add(clinic.id, invited, linkOf(invited, clock() + hour, "link"));
      await signIn(store, anna, "phone");
      const stale = { ...change, from: "hash of before" };
      expect(await store.accounts.changePassword(clinic.id, anna.id, stale)).toBe(false);
      expect(await store.accounts.changePassword(salon.id, anna.id, change)).toBe(false);
      expect(await store.accounts.changePassword(clinic.id, id("none"), change)).toBe(false);
      expect(await store.accounts.changePassword(clinic.id, invited.id, change)).toBe(false);
      expect(await store.accounts.list(clinic.id)).toEqual([anna, invited]);
      expect(await store.sessions.get("phone")).not.toBeNull();
      expect(await store.accounts.byPasswordLink("link")).toEqual(invited);
    });

    it("is one of many concurrent changes", async () => {
      const { store } = opened();
      const anna = await settled(store, "anna");
      const changed = await Promise.all(
        ["a", "b", "c"].map((to) =>
          store.accounts.changePassword(clinic.id, anna.id, { from: "hash of anna", to }),
        ),
      );
      expect(changed.toSorted()).toEqual([false, false, true]);
      const [after] = await store.accounts.list(clinic.id);
      expect(after?.passwordHash).toBe(["a", "b", "c"][changed.indexOf(true)]);
    });
  });

  describe("sessions", () => {
    it("identify their owner until they expire", async () => {
      const { store, clock } = opened();
      const anna = await settled(store, "anna");
      await signIn(store, anna, "session");
      const expiresAt = clock() + 12 * hour;
      const signedIn = { owner: anna, business: clinic, expiresAt };
      expect(await store.sessions.get("session")).toEqual(signedIn);
      expect(await store.sessions.get("another")).toBeNull();
      await store.businesses.change(clinic.id, { apiAccess: false });
      const business = { ...clinic, apiAccess: false };
      expect(await store.sessions.get("session")).toEqual({ ...signedIn, business });
      clock.advance(12 * hour - 1);
      expect(await store.sessions.get("session")).not.toBeNull();
      clock.advance(1);
      expect(await store.sessions.get("session")).toBeNull();
    });

    it("start only with the current password of the owner", async () => {
      const { store, clock } = opened();
      const anna = await settled(store, "anna");
      const session = newOwnerSession(anna, "session", clock());
      expect(await store.sessions.start(clinic.id, session, "hash of another")).toBe(false);
      expect(await store.sessions.start(salon.id, session, "hash of anna")).toBe(false);
      await store.accounts.replacePasswordLink(
        clinic.id,
        anna.id,
        linkOf(anna, clock() + hour, "new"),
      );
      await store.accounts.setPassword("new", "another hash");
      expect(await signIn(store, anna, "session")).toBe(false);
      expect(await store.sessions.get("session")).toBeNull();
    });

    it("can be ended one by one, or all of an owner together", async () => {
      const { store } = opened();
      const anna = await settled(store, "anna");
      const bert = await settled(store, "bert");
      for (const token of ["phone", "tablet", "desk"]) await signIn(store, anna, token);
      await signIn(store, bert, "bert's");
      await store.sessions.end("phone");
      await store.sessions.end("phone");
      expect(await store.sessions.get("phone")).toBeNull();
      expect(await store.sessions.get("tablet")).not.toBeNull();
      await store.sessions.endAll(salon.id, anna.id);
      expect(await store.sessions.get("tablet")).not.toBeNull();
      await store.sessions.endAll(clinic.id, anna.id);
      expect(await store.sessions.get("tablet")).toBeNull();
      expect(await store.sessions.get("desk")).toBeNull();
      expect(await store.sessions.get("bert's")).not.toBeNull();
    });

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

    it("counts an attempt for a throttled e-mail address against the address of the client", async () => {
      const { store } = opened();
      for (let n = 0; n < 10; n++) await store.signIns.admit(from(`10.0.0.${n}`, "a@a.example"));
      for (let n = 0; n < 10; n++) await store.signIns.admit(from("10.0.9.9", "a@a.example"));
      const other = await store.signIns.admit(from("10.0.9.9", "b@a.example"));
      expect(other.outcome).toBe("throttled");
    });

    it("refunds the charge of a successful attempt", async () => {
      const { store, clock } = opened();
      const attempt = from("203.0.113.7", "a@a.example");
      for (let n = 0; n < 9; n++) await store.signIns.admit(attempt);
      for (let n = 0; n < 20; n++) {
        expect((await store.signIns.admit(attempt)).outcome).toBe("admitted");
        await store.signIns.forgive(attempt, clock());
      }
      expect((await store.signIns.admit(attempt)).outcome).toBe("admitted");
      expect((await store.signIns.admit(attempt)).outcome).toBe("throttled");
    });

    it("refunds nothing from a window that began after the charge", async () => {
      const { store, clock } = opened();
      const attempt = from("203.0.113.7", "a@a.example");
      await store.signIns.admit(attempt);
      const chargedAt = clock();
      clock.advance(600_000);
      await store.signIns.admit(attempt);
      await store.signIns.forgive(attempt, chargedAt);
      await store.signIns.forgive(from("10.0.0.1", "nobody@a.example"), chargedAt);
      const more = await Promise.all(
        Array.from({ length: 12 }, () => store.signIns.admit(attempt)),
      );
      expect(admitted(more)).toBe(9);
    });

    it("is independent of the window of failed keys", async () => {
      const { store } = opened();
      await store.signIns.admit(from("203.0.113.7", "a@a.example"));
      expect((await store.admission.signInWindow("203.0.113.7")).remaining).toBe(30);
    });
  });
});
