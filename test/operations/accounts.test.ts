import { describe, expect } from "vitest";
import { maxAccounts } from "../../server/src/operations/accounts.js";
import {
  maxSessions,
  newAccountSession,
  sessionSeconds,
} from "../../server/src/rules/account-session.js";
import type { Account } from "../../server/src/rules/records.js";
import { account, clinic, id, invited, salon } from "../store/support/records.js";
import { it, settledStore } from "../store/support/store.js";

const anna = account("anna", { passwordHash: "hash of anna" });
const bert = account("bert", { createdAt: anna.createdAt + 1, passwordHash: "hash of bert" });

/** A store whose clinic has these accounts. */
async function withAccounts(...all: readonly Account[]) {
  const { store, clock } = await settledStore();
  for (const one of all) {
    expect(await store.accounts.add(one.businessId, one)).toBe("added");
  }
  const signIn = (who: Account, tokenHash: string, passwordHash = who.passwordHash ?? "") =>
    store.sessions.start(clinic.id, newAccountSession(who, tokenHash, clock()), passwordHash);
  return { ...store, clock, signIn };
}

describe("the accounts of a business", () => {
  it("are listed in the order of their creation, and of the business alone", async () => {
    const { accounts } = await withAccounts(bert, anna, account("other", { businessId: salon.id }));
    expect(await accounts.list(clinic.id)).toEqual([anna, bert]);
    expect(await accounts.list(id("nobody"))).toEqual([]);
  });

  it("are found by their address in all businesses, in the order of their creation", async () => {
    const there = account("there", { businessId: salon.id, email: anna.email, createdAt: 1 });
    const { accounts } = await withAccounts(anna, bert, there);
    expect(await accounts.byEmail(anna.email)).toEqual([there, anna]);
    expect(await accounts.byEmail("nobody@clinic.example")).toEqual([]);
  });

  it("have a limit, and an address once", async () => {
    const { accounts } = await withAccounts(anna);
    expect(await accounts.add(clinic.id, { ...bert, email: anna.email })).toBe("email_taken");
    for (let n = 1; n < maxAccounts; n++) await accounts.add(clinic.id, account(`n${n}`));
    expect(await accounts.list(clinic.id)).toHaveLength(maxAccounts);
    expect(await accounts.add(clinic.id, bert)).toBe("too_many_accounts");
  });
});

describe("removing an account", () => {
  const staff = account("staff", { role: "staff", passwordHash: "hash" });
  const unsettled = account("unsettled");

  it.each([
    ["the only owner", [anna, staff, unsettled], anna, true, "last_owner"],
    ["the only owner, if none must stay", [anna, staff], anna, false, "removed"],
    ["one of two owners", [anna, bert], anna, true, "removed"],
    ["an owner without a password, who does not count", [unsettled], unsettled, true, "last_owner"],
    ["staff", [anna, staff], staff, true, "removed"],
    ["an account that is not there", [anna, bert], staff, true, "not_found"],
  ] as const)("%s", async (_, all, who, keepOwner, outcome) => {
    const { accounts } = await withAccounts(...all);
    expect(await accounts.remove(clinic.id, who.id, { keepOwner })).toBe(outcome);
    const left = outcome === "removed" ? all.filter((one) => one !== who) : all;
    expect((await accounts.list(clinic.id)).map((one) => one.id).sort()).toEqual(
      left.map((one) => one.id).sort(),
    );
  });

  it("ends its sessions", async () => {
    const { accounts, sessions, signIn } = await withAccounts(anna, bert);
    await signIn(anna, "anna's");
    await signIn(bert, "bert's");
    await accounts.remove(clinic.id, anna.id, { keepOwner: true });
    expect(await sessions.get("anna's")).toBeNull();
    expect((await sessions.get("bert's"))?.account).toEqual(bert);
  });
});

it("the role of an account changes, but for the last owner with a password", async () => {
  const { accounts } = await withAccounts(anna, bert, account("unsettled"));
  const change = ({ id }: Account, role: Account["role"]) =>
    accounts.changeRole(clinic.id, id, role);
  expect(await change(anna, "staff")).toBe("changed");
  expect(await change(bert, "staff")).toBe("last_owner");
  expect(await change(bert, "owner")).toBe("changed");
  const roles = (await accounts.list(clinic.id)).map(({ role }) => role);
  expect(roles.sort()).toEqual(["owner", "owner", "staff"]);
});

it.each([
  ["of another business", salon.id, anna.id],
  ["that is not there", clinic.id, bert.id],
  ["of no business", id("nobody"), anna.id],
])("an account %s is not changed or removed", async (_, businessId, accountId) => {
  const { accounts } = await withAccounts(anna);
  const link = { tokenHash: "new", expiresAt: anna.createdAt };
  expect([
    await accounts.remove(businessId, accountId, { keepOwner: false }),
    await accounts.changeRole(businessId, accountId, "owner"),
    await accounts.replacePasswordLink(businessId, accountId, link),
  ]).toEqual(["not_found", "not_found", "account_not_found"]);
  expect(await accounts.list(clinic.id)).toEqual([anna]);
});

it("a password is changed by who proves the one before, once", async () => {
  const { accounts } = await withAccounts(anna);
  const proof = { passwordHash: "hash of anna" };
  const change = () => accounts.setPassword(clinic.id, anna.id, "new hash", proof);
  expect(await change()).toEqual({ ...anna, passwordHash: "new hash", generation: 1 });
  expect(await change()).toBeNull();
});

describe("the link to set a password", () => {
  const hour = 3_600_000;

  it("names its account until it expires, is used, or is replaced", async () => {
    const { accounts, clock } = await withAccounts();
    const one = invited(anna, clock() + hour, "one");
    const other = invited(bert, clock() + hour, "other");
    for (const who of [one, other]) await accounts.add(clinic.id, who);
    expect(await accounts.byPasswordLink("one")).toEqual(one);
    expect(await accounts.byPasswordLink("unknown")).toBeNull();
    const link = { tokenHash: "new", expiresAt: clock() + hour };
    expect(await accounts.replacePasswordLink(clinic.id, anna.id, link)).toBe("replaced");
    expect(await accounts.byPasswordLink("one")).toBeNull();
    expect(await accounts.byPasswordLink("new")).toEqual({ ...anna, link });
    expect(await accounts.byPasswordLink("other")).toEqual(other);
    clock.advance(hour);
    expect(await accounts.byPasswordLink("new")).toBeNull();
  });

  it("is not given in place of a link that is no longer the one that was seen", async () => {
    const { accounts, clock } = await withAccounts(anna);
    const linkOf = (tokenHash: string) => ({ tokenHash, expiresAt: clock() + hour });
    const replace = (tokenHash: string, seen: string | null) =>
      accounts.replacePasswordLink(clinic.id, anna.id, linkOf(tokenHash), seen);
    expect(await replace("one", "other")).toBe("link_changed");
    expect(await replace("one", null)).toBe("replaced");
    expect(await replace("two", null)).toBe("link_changed");
    expect(await replace("two", "one")).toBe("replaced");
    expect(await accounts.byPasswordLink("two")).toEqual({ ...anna, link: linkOf("two") });
  });

  it("sets a password once, which uses it up and ends the sessions of that account", async () => {
    const { accounts, sessions, clock, signIn } = await withAccounts(bert);
    await accounts.add(clinic.id, invited(anna, clock() + hour, "link"));
    await signIn(anna, "anna's");
    await signIn(bert, "bert's");
    const set = (accountId: string, linkTokenHash: string) =>
      accounts.setPassword(clinic.id, accountId, "new hash", { linkTokenHash });
    expect(await set(anna.id, "wrong")).toBeNull();
    expect(await set(bert.id, "link")).toBeNull();
    expect(await sessions.get("anna's")).not.toBeNull();
    const after = { ...anna, passwordHash: "new hash", link: null, generation: 1 };
    expect(await set(anna.id, "link")).toEqual(after);
    expect(await accounts.list(clinic.id)).toEqual([after, bert]);
    expect(await set(anna.id, "link")).toBeNull();
    expect(await sessions.get("anna's")).toBeNull();
    expect(await sessions.get("bert's")).not.toBeNull();
  });
});

describe("a session", () => {
  it("begins only with the password hash that the account has", async () => {
    const { signIn, sessions, clock } = await withAccounts(anna);
    expect(await signIn(anna, "wrong", "another hash")).toBe(false);
    expect(await signIn(bert, "nobody's")).toBe(false);
    expect(await sessions.get("wrong")).toBeNull();
    expect(await signIn(anna, "right")).toBe(true);
    const expiresAt = clock() + sessionSeconds * 1_000;
    expect(await sessions.get("right")).toEqual({ account: anna, business: clinic, expiresAt });
    clock.advance(sessionSeconds * 1_000 - 1);
    expect(await sessions.get("right")).not.toBeNull();
    clock.advance(1);
    expect(await sessions.get("right")).toBeNull();
  });

  it("does not outlive the right time when it began while the clock was ahead", async () => {
    const { signIn, sessions, accounts, clock } = await withAccounts(anna);
    const hour = 3_600_000;
    const year = 365 * 24 * hour;
    clock.leap(year);
    await signIn(anna, "ahead");
    const link = { tokenHash: "link", expiresAt: clock() + hour };
    await accounts.replacePasswordLink(clinic.id, anna.id, link);
    expect(await sessions.get("ahead")).not.toBeNull();
    clock.leap(-year);
    expect(await sessions.get("ahead")).toBeNull();
    expect(await accounts.byPasswordLink("link")).toBeNull();
  });

  it("ends alone; all of an account end together", async () => {
    const { signIn, sessions } = await withAccounts(anna, bert);
    for (const name of ["a", "b", "c"]) await signIn(anna, name);
    await signIn(bert, "d");
    await signIn(bert, "e");
    await sessions.end("e");
    expect(await sessions.get("e")).toBeNull();
    const running = async () => {
      const found = await Promise.all(["a", "b", "c", "d"].map((name) => sessions.get(name)));
      return found.map((session) => session?.account.id ?? null);
    };
    await sessions.end("b");
    await sessions.end("unknown");
    expect(await running()).toEqual([anna.id, null, anna.id, bert.id]);
    await sessions.endAll(salon.id, anna.id);
    expect(await running()).toEqual([anna.id, null, anna.id, bert.id]);
    await sessions.endAll(clinic.id, anna.id);
    expect(await running()).toEqual([null, null, null, bert.id]);
    expect(await signIn(anna, "a new one")).toBe(true);
    expect(await running()).toEqual([null, null, null, bert.id]);
  });

  it("is one of a limited number: one more ends the oldest of that account", async () => {
    const { signIn, sessions } = await withAccounts(anna, bert);
    await signIn(bert, "bert's");
    for (let n = 0; n <= maxSessions; n++) await signIn(anna, `session${n}`);
    const isRunning = async (name: string) => (await sessions.get(name)) !== null;
    expect(await isRunning("session0")).toBe(false);
    for (const name of ["session1", `session${maxSessions}`, "bert's"]) {
      expect(await isRunning(name)).toBe(true);
    }
  });
});

describe("the refund of a sign-in", () => {
  it("gives the charge of a successful attempt back, in both windows", async () => {
    const { signIns, clock } = await withAccounts();
    const attempt = { subject: "203.0.113.7", email: anna.email, browser: null };
    for (let n = 0; n < 9; n++) {
      await signIns.admit({ subject: "192.0.2.1", email: "x@clinic.example", browser: null });
    }
    for (let n = 0; n < 30; n++) {
      expect(await signIns.admit(attempt)).toEqual({ outcome: "admitted", now: clock() });
      await signIns.forgive(attempt, clock());
    }
    for (let n = 0; n < 10; n++) await signIns.admit(attempt);
    const elsewhere = { ...attempt, subject: "198.51.100.1" };
    const another = { ...attempt, email: bert.email };
    for (const one of [attempt, elsewhere, another]) {
      expect(await signIns.admit(one)).toEqual({ outcome: "throttled", retryAfterSeconds: 600 });
    }
  });

  it("without a charge changes nothing", async () => {
    const { signIns, maintenance, clock } = await withAccounts();
    await signIns.forgive({ subject: "203.0.113.7", email: anna.email, browser: null }, clock());
    clock.advance(600_000);
    expect(await maintenance.removeExpired()).toMatchObject({ windows: 0 });
  });
});
