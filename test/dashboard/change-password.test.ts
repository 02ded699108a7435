import { randomBytes } from "node:crypto";
import { Passwords, renewPasswordLink } from "@queue-api/server";
import { describe, expect, test } from "vitest";
import { testService } from "../support/service.js";
import { errorAt } from "./support/html.js";
import {
  another,
  copyOf,
  isSignedIn,
  newOwner,
  password,
  setPassword,
  signedInVisitor,
  signIn,
  type TestOwner,
  type Visitor,
  visitorOf,
  wrong,
} from "./support/visitor.js";

/** Runs a function while a password is hashed. */
class SlowPasswords extends Passwords {
  meanwhile: () => Promise<unknown> = async () => {};

  override async hash(typed: string, gone?: AbortSignal): Promise<string> {
    const { meanwhile } = this;
    this.meanwhile = async () => {};
    await meanwhile();
    return super.hash(typed, gone);
  }
}

const slow = new SlowPasswords({ random: randomBytes, cost: { ln: 4, r: 8, p: 1 } });
const service = await testService({ passwords: slow });
const { clock, store } = service;

/** Fills in the form on the account page with valid values, except the given fields. */
function change(visitor: Visitor, fields: Readonly<Record<string, string>> = {}) {
  const typed = { current: password, password: another, again: another, ...fields };
  return visitor.submit("/dashboard/account", typed);
}

/** A visitor that has only a copy of a browser's session cookie. */
const withCookieOf = (browser: Visitor) => copyOf(service, browser, "queue_api_session");

/** Whether an owner can sign in with a password. Tries it from a new address. */
async function isValidPassword(owner: TestOwner, typed: string): Promise<boolean> {
  const { status } = await signIn(visitorOf(service), owner, { password: typed });
  expect([303, 422]).toContain(status);
  return status === 303;
}

/** An owner of a new clinic, signed in with several browsers. */
async function ownerWith(browsers: number) {
  const clinic = await service.clinic();
  const owner = await newOwner(service, clinic);
  const visitors: Visitor[] = [];
  for (let n = 0; n < browsers; n++) visitors.push(await signedInVisitor(service, clinic, owner));
  const [first, second] = visitors;
  if (!first) throw new Error("an owner without a browser");
  return { clinic, owner, first, second: second ?? first };
}

describe("changing the password while signed in", () => {
  test("makes the new password valid, and ends each session of the owner but the one in this browser", async () => {
    const { clinic, owner, first, second } = await ownerWith(2);
    const colleague = await signedInVisitor(service, clinic);
    const copy = copyOf(service, first);
    const { status, location } = await change(first);
    expect([status, location]).toEqual([303, "/dashboard/account"]);
    expect((await first.get("/dashboard/account")).body).toContain("Your password is changed");
    expect(first.cookies.get("queue_api_session")).toHaveLength(43);
    expect(await isValidPassword(owner, password)).toBe(false);
    expect(await isValidPassword(owner, another)).toBe(true);
    const stillIn = [];
    for (const one of [first, colleague, second, copy]) stillIn.push(await isSignedIn(one));
    expect(stillIn).toEqual([true, true, false, false]); // the copy has the earlier token
  });

  test("invalidates an earlier link", async () => {
    const { owner, first } = await ownerWith(1);
    const context = { now: service.now(), random: randomBytes };
    const { token } = await renewPasswordLink(store, owner, context);
    await change(first);
    expect((await setPassword(visitorOf(service), token)).status).toBe(410);
    expect(await isValidPassword(owner, another)).toBe(true);
  });

  test("has the same rules as a link, and needs the current password", async () => {
    const { owner, first } = await ownerWith(1);
    const short = await change(first, { password: "short", again: "short" });
    expect(short.status).toBe(422);
    expect(errorAt(short.body, "password")).toMatch(/at least 12 characters; this one has 5/);
    const differs = await change(first, { again: `${another}!` });
    expect(errorAt(differs.body, "again")).toContain("not the same as above");
    const empty = await change(first, { current: "", password: "", again: "" });
    expect(errorAt(empty.body, "current")).toBe("Enter your current password.");
    expect(errorAt(empty.body, "password")).toMatch(/this one has 0/);
    expect((await first.submit("/dashboard/account")).status).toBe(422);
    expect(await isValidPassword(owner, password)).toBe(true);
  });

  test("has a form that labels its fields for password managers", async () => {
    const { owner, first } = await ownerWith(1);
    const { body } = await first.get("/dashboard/account");
    const form = /<form[^>]*action="\/dashboard\/account".*?<\/form>/s.exec(body)?.[0] ?? "";
    const inputs = [...form.matchAll(/<input[^>]*autocomplete="([^"]+)"/g)].map(([, is]) => is);
    expect(inputs).toEqual(["username", "current-password", "new-password", "new-password"]);
    expect(form).toContain(`value="${owner.email}" autocomplete="username"`);
  });
});

describe("a wrong current password", () => {
  test("gets a clear message, and changes nothing", async () => {
    const { owner, first, second } = await ownerWith(2);
    const answer = await change(first, { current: wrong.password });
    expect(answer.status).toBe(422);
    expect(errorAt(answer.body, "current")).toBe("This is not your password.");
    for (const typed of [wrong.password, another]) expect(answer.body).not.toContain(typed);
    expect(await isSignedIn(first)).toBe(true);
    expect(await isSignedIn(second)).toBe(true);
    expect(await isValidPassword(owner, another)).toBe(false);
    expect(await isValidPassword(owner, password)).toBe(true);
  });

  test("cannot be guessed: ten attempts bar the account for ten minutes, here and at the sign-in", async () => {
    const { owner, first } = await ownerWith(1);
    for (let n = 0; n < 10; n++) {
      expect((await change(withCookieOf(first), { current: wrong.password })).status).toBe(422);
    }
    const barred = await change(withCookieOf(first));
    expect([barred.status, barred.headers.get("Retry-After")]).toEqual([429, "600"]);
    expect(barred.body).toContain("Try again in 10 minutes.");
    expect((await signIn(visitorOf(service), owner)).status).toBe(429);
    expect(await isSignedIn(first)).toBe(true);
    clock.advance({ minutes: 10 });
    expect((await change(withCookieOf(first))).status).toBe(303);
  });

  test("cannot be guessed in the owner's browser either, which has its own ten attempts", async () => {
    const { first, second } = await ownerWith(2);
    for (let n = 0; n < 10; n++) {
      expect((await change(first, { current: wrong.password })).status).toBe(422);
    }
    expect((await change(first)).status).toBe(429);
    clock.advance({ minutes: 10 });
    expect((await change(first)).status).toBe(303);
    expect(await isSignedIn(second)).toBe(false);
  });

  test("counts in the same window as failed sign-ins", async () => {
    const { owner, first } = await ownerWith(1);
    for (let n = 0; n < 6; n++) await signIn(visitorOf(service), owner, wrong);
    for (let n = 0; n < 4; n++) await change(withCookieOf(first), { current: wrong.password });
    expect((await change(withCookieOf(first))).status).toBe(429);
  });

  test("is not counted when the password is right or the form is incomplete", async () => {
    const { owner, first } = await ownerWith(1);
    for (let n = 0; n < 12; n++) {
      const typed = n % 2 === 0 ? {} : { current: another, password, again: password };
      expect((await change(first, { ...typed, again: "" })).status).toBe(422);
      expect((await change(first, typed)).status).toBe(303);
      await first.get("/dashboard/account");
    }
    expect(await isValidPassword(owner, password)).toBe(true);
  });
});

test("a change in two browsers at the same time succeeds in one; the other is signed out and shows a message", async () => {
  const { owner, first, second } = await ownerWith(2);
  const theirs = `${another}, and a trumpet`;
  slow.meanwhile = () => change(second, { password: theirs, again: theirs });
  const { status, location } = await change(first);
  expect([status, location]).toEqual([303, "/dashboard/account"]);
  expect(await isSignedIn(second)).toBe(true);
  const { location: signInPath } = await first.get("/dashboard/account");
  const { body } = await first.get(signInPath ?? "");
  expect(body).toContain("changed in another browser, so nothing was changed here");
  expect(await isValidPassword(owner, another)).toBe(false);
  expect(await isValidPassword(owner, theirs)).toBe(true);
});
