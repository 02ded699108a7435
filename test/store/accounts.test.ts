import { describe, expect, it } from "vitest";
import { mostSessions, newOwnerSession } from "../../server/src/rules/owner-session.js";
import type { Owner, PasswordLink } from "../../server/src/rules/records.js";
import type { SignInAdmission } from "../../server/src/rules/sign-in.js";
import type { Store } from "../../server/src/store/store.js";
import { adapters } from "./support/adapters.js";
import { clinic, id, importOf, linkOf, owner, salon } from "./support/records.js";
import { freshStore } from "./support/store.js";

const hour = 3_600_000;

/** Adds an owner who has set their password. */
async function settled(store: Store, name: string, changes: Partial<Owner> = {}): Promise<Owner> {
  const added = owner(name, changes);
  const link = linkOf(added, (await store.now()) + hour, `link of ${name}`);
  await store.addOwner(added.businessId, added, link);
  const ready = await store.setPassword(link.tokenHash, `hash of ${name}`);
  if (!ready) throw new Error("the link was not taken");
  return ready;
}

async function signIn(store: Store, who: Owner, tokenHash: string): Promise<boolean> {
  const session = newOwnerSession(who, tokenHash, await store.now());
  return store.startSession(who.businessId, session, who.passwordHash ?? "");
}

function admitted(admissions: readonly SignInAdmission[]): number {
  return admissions.filter(({ outcome }) => outcome === "admitted").length;
}

describe.each(adapters)("owner accounts in the $name store", (adapter) => {
  const opened = freshStore(adapter);

  describe("owners", () => {
    it("lists the owners of a business as they were added, with every field", async () => {
      const { store, clock } = opened();
      const late = owner("late", { createdAt: clock() + 1 });
      const others = owner("other", { businessId: salon.id, passwordHash: "$scrypt$ln=1$a$b" });
      for (const one of [late, owner("b"), owner("a"), others]) {
        expect(await store.addOwner(one.businessId, one, linkOf(one, clock() + 1))).toBe("added");
      }
      expect(await store.owners(clinic.id)).toEqual([owner("a"), owner("b"), late]);
      expect(await store.owners(salon.id)).toEqual([others]);
      expect(await store.ownerByEmail(others.email)).toEqual(others);
      expect(await store.ownerByEmail("nobody@clinic.example")).toBeNull();
    });

    it("keeps an e-mail address once over all businesses, however many add it at once", async () => {
      const { store, clock } = opened();
      const outcomes = await Promise.all(
        [clinic, salon, clinic, salon].map((business, n) => {
          const one = owner(`twin${n}`, { businessId: business.id, email: "a@clinic.example" });
          return store.addOwner(business.id, one, linkOf(one, clock() + hour));
        }),
      );
      expect(outcomes.toSorted()).toEqual(["added", ...Array(3).fill("email_taken")]);
      const all = [...(await store.owners(clinic.id)), ...(await store.owners(salon.id))];
      expect(all).toHaveLength(1);
    });

    it("removes an owner with their link and their sessions, and frees their address", async () => {
      const { store, clock } = opened();
      const anna = await settled(store, "anna");
      await signIn(store, anna, "session");
      await store.replacePasswordLink(clinic.id, anna.id, linkOf(anna, clock() + hour, "new"));
      expect(await store.removeOwner(salon.id, anna.id)).toBe(false);
      expect(await store.sessionOwner("session")).not.toBeNull();
      expect(await store.removeOwner(clinic.id, anna.id)).toBe(true);
      expect(await store.removeOwner(clinic.id, anna.id)).toBe(false);
      expect(await store.sessionOwner("session")).toBeNull();
      expect(await store.passwordLinkOwner("new")).toBeNull();
      expect(await store.owners(clinic.id)).toEqual([]);
      await settled(store, "another", { email: anna.email });
      expect(await store.sessionOwner("session")).toBeNull();
    });

    it("go with their business when it is replaced", async () => {
      const { store } = opened();
      const anna = await settled(store, "anna");
      const bert = await settled(store, "bert", { businessId: salon.id });
      await signIn(store, anna, "anna's");
      await signIn(store, bert, "bert's");
      await store.importBusinesses([importOf({ ...clinic, id: id("new") })], { replace: true });
      expect(await store.owners(clinic.id)).toEqual([]);
      expect(await store.ownerByEmail(anna.email)).toBeNull();
      expect(await store.sessionOwner("anna's")).toBeNull();
      expect((await store.sessionOwner("bert's"))?.owner).toEqual(bert);
    });
  });

  describe("the link to set a password", () => {
    it("tells whose it is as often as it is asked, and sets the password once", async () => {
      const { store, clock } = opened();
      const anna = owner("anna");
      await store.addOwner(clinic.id, anna, linkOf(anna, clock() + hour, "link"));
      expect(await store.passwordLinkOwner("link")).toEqual(anna);
      expect(await store.passwordLinkOwner("link")).toEqual(anna);
      const ready = { ...anna, passwordHash: "$scrypt$ln=1$a$b" };
      expect(await store.setPassword("link", "$scrypt$ln=1$a$b")).toEqual(ready);
      expect(await store.ownerByEmail(anna.email)).toEqual(ready);
      expect(await store.passwordLinkOwner("link")).toBeNull();
      expect(await store.setPassword("link", "another")).toBeNull();
      expect(await store.owners(clinic.id)).toEqual([ready]);
    });

    it("sets one password of many that come at once", async () => {
      const { store, clock } = opened();
      const anna = owner("anna");
      await store.addOwner(clinic.id, anna, linkOf(anna, clock() + hour, "link"));
      const set = await Promise.all(["a", "b", "c"].map((hash) => store.setPassword("link", hash)));
      const [winner, ...others] = set.filter((after) => after !== null);
      expect(others).toEqual([]);
      expect(await store.owners(clinic.id)).toEqual([winner]);
    });

    it("ends at its time", async () => {
      const { store, clock } = opened();
      const anna = owner("anna");
      await store.addOwner(clinic.id, anna, linkOf(anna, clock() + hour, "link"));
      clock.advance(hour - 1);
      expect(await store.passwordLinkOwner("link")).toEqual(anna);
      clock.advance(1);
      expect(await store.passwordLinkOwner("link")).toBeNull();
      expect(await store.setPassword("link", "late")).toBeNull();
      expect(await store.owners(clinic.id)).toEqual([anna]);
    });

    it("is worth nothing once there is a newer one", async () => {
      const { store, clock } = opened();
      const anna = owner("anna");
      const link = (token: string): PasswordLink => linkOf(anna, clock() + hour, token);
      await store.addOwner(clinic.id, anna, link("first"));
      expect(await store.replacePasswordLink(clinic.id, anna.id, link("second"))).toBe(true);
      expect(await store.setPassword("first", "hash")).toBeNull();
      expect(await store.replacePasswordLink(salon.id, anna.id, link("third"))).toBe(false);
      expect(await store.replacePasswordLink(clinic.id, id("none"), link("third"))).toBe(false);
      expect(await store.passwordLinkOwner("third")).toBeNull();
      expect(await store.passwordLinkOwner("second")).toEqual(anna);
    });

    it("ends all sessions of its owner, and nobody else's, when it sets a password", async () => {
      const { store, clock } = opened();
      const anna = await settled(store, "anna");
      const bert = await settled(store, "bert");
      await signIn(store, anna, "phone");
      await signIn(store, anna, "tablet");
      await signIn(store, bert, "bert's");
      await store.replacePasswordLink(clinic.id, anna.id, linkOf(anna, clock() + hour, "new"));
      expect(await store.sessionOwner("phone")).not.toBeNull();
      await store.setPassword("new", "another hash");
      expect(await store.sessionOwner("phone")).toBeNull();
      expect(await store.sessionOwner("tablet")).toBeNull();
      expect(await store.sessionOwner("bert's")).not.toBeNull();
    });
  });

  describe("a password that is changed", () => {
    const change = { from: "hash of anna", to: "another hash" };

    it("takes the place of the one before, and ends all sessions of its owner and nobody else's", async () => {
      const { store } = opened();
      const anna = await settled(store, "anna");
      const bert = await settled(store, "bert");
      await signIn(store, anna, "phone");
      await signIn(store, anna, "tablet");
      await signIn(store, bert, "bert's");
      expect(await store.changePassword(clinic.id, anna.id, change)).toBe(true);
      const after = { ...anna, passwordHash: "another hash" };
      expect(await store.owners(clinic.id)).toEqual([after, bert]);
      expect(await store.sessionOwner("phone")).toBeNull();
      expect(await store.sessionOwner("tablet")).toBeNull();
      expect(await store.sessionOwner("bert's")).not.toBeNull();
      expect(await signIn(store, anna, "late")).toBe(false);
      expect(await signIn(store, after, "new")).toBe(true);
    });

    it("leaves no link behind by which another could be set", async () => {
      const { store, clock } = opened();
      const anna = await settled(store, "anna");
      await store.replacePasswordLink(clinic.id, anna.id, linkOf(anna, clock() + hour, "lost"));
      await store.changePassword(clinic.id, anna.id, change);
      expect(await store.passwordLinkOwner("lost")).toBeNull();
      expect(await store.setPassword("lost", "a third hash")).toBeNull();
    });

    it("is the owner's now, of this business, or nothing happens", async () => {
      const { store, clock } = opened();
      const anna = await settled(store, "anna");
      const invited = owner("invited");
      await store.addOwner(clinic.id, invited, linkOf(invited, clock() + hour, "link"));
      await signIn(store, anna, "phone");
      const stale = { ...change, from: "hash of before" };
      expect(await store.changePassword(clinic.id, anna.id, stale)).toBe(false);
      expect(await store.changePassword(salon.id, anna.id, change)).toBe(false);
      expect(await store.changePassword(clinic.id, id("none"), change)).toBe(false);
      expect(await store.changePassword(clinic.id, invited.id, change)).toBe(false);
      expect(await store.owners(clinic.id)).toEqual([anna, invited]);
      expect(await store.sessionOwner("phone")).not.toBeNull();
      expect(await store.passwordLinkOwner("link")).toEqual(invited);
    });

    it("is one of many that come at once", async () => {
      const { store } = opened();
      const anna = await settled(store, "anna");
      const changed = await Promise.all(
        ["a", "b", "c"].map((to) =>
          store.changePassword(clinic.id, anna.id, { from: "hash of anna", to }),
        ),
      );
      expect(changed.toSorted()).toEqual([false, false, true]);
      const [after] = await store.owners(clinic.id);
      expect(after?.passwordHash).toBe(["a", "b", "c"][changed.indexOf(true)]);
    });
  });

  describe("sessions", () => {
    it("tell whose they are until they end by themselves", async () => {
      const { store, clock } = opened();
      const anna = await settled(store, "anna");
      await signIn(store, anna, "session");
      const expiresAt = clock() + 12 * hour;
      const signedIn = { owner: anna, business: clinic, expiresAt };
      expect(await store.sessionOwner("session")).toEqual(signedIn);
      expect(await store.sessionOwner("another")).toBeNull();
      await store.setApiAccess(clinic.id, false);
      const business = { ...clinic, apiAccess: false };
      expect(await store.sessionOwner("session")).toEqual({ ...signedIn, business });
      clock.advance(12 * hour - 1);
      expect(await store.sessionOwner("session")).not.toBeNull();
      clock.advance(1);
      expect(await store.sessionOwner("session")).toBeNull();
    });

    it("begin only with the password that is the owner's now", async () => {
      const { store, clock } = opened();
      const anna = await settled(store, "anna");
      const session = newOwnerSession(anna, "session", clock());
      expect(await store.startSession(clinic.id, session, "hash of another")).toBe(false);
      expect(await store.startSession(salon.id, session, "hash of anna")).toBe(false);
      await store.replacePasswordLink(clinic.id, anna.id, linkOf(anna, clock() + hour, "new"));
      await store.setPassword("new", "another hash");
      expect(await signIn(store, anna, "session")).toBe(false);
      expect(await store.sessionOwner("session")).toBeNull();
    });

    it("end one by one, and all of an owner's at once", async () => {
      const { store } = opened();
      const anna = await settled(store, "anna");
      const bert = await settled(store, "bert");
      for (const token of ["phone", "tablet", "desk"]) await signIn(store, anna, token);
      await signIn(store, bert, "bert's");
      await store.endSession("phone");
      await store.endSession("phone");
      expect(await store.sessionOwner("phone")).toBeNull();
      expect(await store.sessionOwner("tablet")).not.toBeNull();
      await store.endSessions(salon.id, anna.id);
      expect(await store.sessionOwner("tablet")).not.toBeNull();
      await store.endSessions(clinic.id, anna.id);
      expect(await store.sessionOwner("tablet")).toBeNull();
      expect(await store.sessionOwner("desk")).toBeNull();
      expect(await store.sessionOwner("bert's")).not.toBeNull();
    });

    it("are a limited number of each owner's: one more ends the oldest", async () => {
      const { store } = opened();
      const anna = await settled(store, "anna");
      const bert = await settled(store, "bert");
      await signIn(store, bert, "bert's");
      for (let n = 0; n <= mostSessions; n++) await signIn(store, anna, `session${n}`);
      expect(await store.sessionOwner("session0")).toBeNull();
      expect(await store.sessionOwner("session1")).not.toBeNull();
      expect(await store.sessionOwner(`session${mostSessions}`)).not.toBeNull();
      expect(await store.sessionOwner("bert's")).not.toBeNull();
    });
  });

  describe("the throttle of sign-ins", () => {
    const from = (subject: string, email: string) => ({ subject, email, browser: null });

    it("admits ten from an address in ten minutes, however many come at once", async () => {
      const { store, clock } = opened();
      const attempts = Array.from({ length: 25 }, (_, n) => from("203.0.113.7", `${n}@a.example`));
      const admissions = await Promise.all(attempts.map((one) => store.admitSignIn(one)));
      expect(admitted(admissions)).toBe(10);
      expect(admissions).toContainEqual({ outcome: "throttled", retryAfterSeconds: 600 });
      clock.advance(599_000);
      expect(await store.admitSignIn(from("203.0.113.7", "new@a.example"))).toEqual({
        outcome: "throttled",
        retryAfterSeconds: 1,
      });
      expect(await store.admitSignIn(from("198.51.100.1", "new@a.example"))).toEqual({
        outcome: "admitted",
        now: clock(),
      });
      clock.advance(1_000);
      const again = await store.admitSignIn(from("203.0.113.7", "new@a.example"));
      expect(again.outcome).toBe("admitted");
    });

    it("admits ten for an e-mail address in ten minutes, wherever they come from", async () => {
      const { store, clock } = opened();
      const attempts = Array.from({ length: 25 }, (_, n) => from(`10.0.0.${n}`, "a@a.example"));
      const admissions = await Promise.all(attempts.map((one) => store.admitSignIn(one)));
      expect(admitted(admissions)).toBe(10);
      expect((await store.admitSignIn(from("10.0.0.99", "b@a.example"))).outcome).toBe("admitted");
      clock.advance(600_000);
      expect((await store.admitSignIn(from("10.0.1.1", "a@a.example"))).outcome).toBe("admitted");
    });

    it("counts an attempt for a closed e-mail address against the address it came from", async () => {
      const { store } = opened();
      for (let n = 0; n < 10; n++) await store.admitSignIn(from(`10.0.0.${n}`, "a@a.example"));
      for (let n = 0; n < 10; n++) await store.admitSignIn(from("10.0.9.9", "a@a.example"));
      const other = await store.admitSignIn(from("10.0.9.9", "b@a.example"));
      expect(other.outcome).toBe("throttled");
    });

    it("takes back what an attempt that succeeded was charged", async () => {
      const { store, clock } = opened();
      const attempt = from("203.0.113.7", "a@a.example");
      for (let n = 0; n < 9; n++) await store.admitSignIn(attempt);
      for (let n = 0; n < 20; n++) {
        expect((await store.admitSignIn(attempt)).outcome).toBe("admitted");
        await store.forgiveSignIn(attempt, clock());
      }
      expect((await store.admitSignIn(attempt)).outcome).toBe("admitted");
      expect((await store.admitSignIn(attempt)).outcome).toBe("throttled");
    });

    it("takes nothing back from a window that began after the charge", async () => {
      const { store, clock } = opened();
      const attempt = from("203.0.113.7", "a@a.example");
      await store.admitSignIn(attempt);
      const chargedAt = clock();
      clock.advance(600_000);
      await store.admitSignIn(attempt);
      await store.forgiveSignIn(attempt, chargedAt);
      await store.forgiveSignIn(from("10.0.0.1", "nobody@a.example"), chargedAt);
      const more = await Promise.all(Array.from({ length: 12 }, () => store.admitSignIn(attempt)));
      expect(admitted(more)).toBe(9);
    });

    it("is apart from the window of failed keys", async () => {
      const { store } = opened();
      await store.admitSignIn(from("203.0.113.7", "a@a.example"));
      expect((await store.signInWindow("203.0.113.7")).remaining).toBe(30);
    });
  });
});
