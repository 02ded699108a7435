import { randomBytes } from "node:crypto";
import { Passwords, renewPasswordLink } from "@queue-api/server";
import { describe, expect, test } from "vitest";
import { testService, withClock, withInside } from "../support/service.js";
import { errorAt } from "./support/html.js";
import {
  newOwner,
  password,
  signedInVisitor,
  signIn,
  type TestOwner,
  type Visitor,
  visitorOf,
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

const another = "purple elephant on a bicycle";
const wrong = "this is not the password";

/** Fills in the form on the account page with valid values, except the given fields. */
function change(visitor: Visitor, fields: Readonly<Record<string, string>> = {}) {
  const typed = { current: password, password: another, again: another, ...fields };
  return visitor.submit("/dashboard/account", typed);
}

async function isSignedIn(visitor: Visitor): Promise<boolean> {
  const { status } = await visitor.get("/dashboard/account");
  expect([200, 303]).toContain(status);
  return status === 200;
}

/** A visitor that has only a copy of a browser's session cookie. */
function withCookieOf(browser: Visitor): Visitor {
  const stolen = visitorOf(service);
  stolen.cookies.set("queue_api_session", browser.cookies.get("queue_api_session") ?? "");
  stolen.formToken = browser.formToken;
  return stolen;
}

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
  test("makes the new password valid and the old one invalid", async () => {
    const { owner, first } = await ownerWith(1);
    const { status, location } = await change(first);
    expect([status, location]).toEqual([303, "/dashboard/account"]);
    expect((await first.get("/dashboard/account")).body).toContain("Your password is changed");
    expect(await isValidPassword(owner, password)).toBe(false);
    expect(await isValidPassword(owner, another)).toBe(true);
  });

  test("ends the owner's sessions in all other browsers, and no sessions of others", async () => {
    const { clinic, first, second } = await ownerWith(2);
    const colleague = await signedInVisitor(service, clinic);
    await change(first);
    expect(await isSignedIn(first)).toBe(true);
    expect(await isSignedIn(second)).toBe(false);
    expect(await isSignedIn(colleague)).toBe(true);
  });

  test("gives this browser a new session token, so that a copy of the old token is invalid", async () => {
    const { first } = await ownerWith(1);
    const copy = visitorOf(service);
    for (const [name, value] of first.cookies) copy.cookies.set(name, value);
    const before = first.cookies.get("queue_api_session");
    await change(first);
    expect(first.cookies.get("queue_api_session")).toHaveLength(43);
    expect(first.cookies.get("queue_api_session")).not.toBe(before);
    expect(await isSignedIn(copy)).toBe(false);
  });

  test(
    "invalidates an earlier link",
    withInside(service, async ({ store }) => {
      const { owner, first } = await ownerWith(1);
      const context = { now: service.now(), random: randomBytes };
      const { token } = await renewPasswordLink(store, owner, context);
      await change(first);
      const form = { token, password, again: password };
      const used = await visitorOf(service).submit("/dashboard/set-password", form);
      expect(used.status).toBe(410);
      expect(await isValidPassword(owner, another)).toBe(true);
    }),
  );

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

  test("works without a script, and labels its fields for password managers", async () => {
    const { owner, first } = await ownerWith(1);
    const { body } = await first.get("/dashboard/account");
    const form = /<form[^>]*action="\/dashboard\/account".*?<\/form>/s.exec(body)?.[0] ?? "";
    expect(form).toContain('method="post"');
    const inputs = [...form.matchAll(/<input[^>]*autocomplete="([^"]+)"/g)].map(([, is]) => is);
    expect(inputs).toEqual(["username", "current-password", "new-password", "new-password"]);
    expect(form).toContain(`value="${owner.email}" autocomplete="username"`);
  });
});

describe("a wrong current password", () => {
  test("gets a clear message, and changes nothing", async () => {
    const { owner, first, second } = await ownerWith(2);
    const answer = await change(first, { current: wrong });
    expect(answer.status).toBe(422);
    expect(errorAt(answer.body, "current")).toBe("This is not your password.");
    for (const typed of [wrong, another]) expect(answer.body).not.toContain(typed);
    expect(await isSignedIn(first)).toBe(true);
    expect(await isSignedIn(second)).toBe(true);
    expect(await isValidPassword(owner, another)).toBe(false);
    expect(await isValidPassword(owner, password)).toBe(true);
  });

  test(
    "cannot be guessed: ten attempts bar the account for ten minutes, here and at the sign-in",
    withClock(service, async (clock) => {
      const { owner, first } = await ownerWith(1);
      for (let n = 0; n < 10; n++) {
        expect((await change(withCookieOf(first), { current: wrong })).status).toBe(422);
      }
      const barred = await change(withCookieOf(first));
      expect([barred.status, barred.headers.get("Retry-After")]).toEqual([429, "600"]);
      expect(barred.body).toContain("Try again in 10 minutes.");
      expect((await signIn(visitorOf(service), owner)).status).toBe(429);
      expect(await isSignedIn(first)).toBe(true);
      clock.advance({ minutes: 10 });
      expect((await change(withCookieOf(first))).status).toBe(303);
    }),
  );

  test(
    "cannot be guessed in the owner's browser either, which has its own ten attempts",
    withClock(service, async (clock) => {
      const { first, second } = await ownerWith(2);
      for (let n = 0; n < 10; n++) {
        expect((await change(first, { current: wrong })).status).toBe(422);
      }
      expect((await change(first)).status).toBe(429);
      clock.advance({ minutes: 10 });
      expect((await change(first)).status).toBe(303);
      expect(await isSignedIn(second)).toBe(false);
    }),
  );

  test("counts in the same window as failed sign-ins", async () => {
    const { owner, first } = await ownerWith(1);
    for (let n = 0; n < 6; n++) await signIn(visitorOf(service), owner, { password: wrong });
    for (let n = 0; n < 4; n++) await change(withCookieOf(first), { current: wrong });
    expect((await change(withCookieOf(first))).status).toBe(429);
  });

  test("is checked at most ten times under concurrent attempts", async () => {
    const { first } = await ownerWith(1);
    const tried = Array.from({ length: 15 }, () => change(first, { current: wrong }));
    const statuses = (await Promise.all(tried)).map(({ status }) => status).toSorted();
    expect(statuses).toEqual([...Array(10).fill(422), ...Array(5).fill(429)]);
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

describe("a change of the password", () => {
  test(
    "in two browsers at the same time succeeds in one; the other is signed out and shows a message",
    withInside(service, async () => {
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
    }),
  );

  test("leaves one password and one session under concurrent changes", async () => {
    const { clinic, owner, first, second } = await ownerWith(2);
    const third = await signedInVisitor(service, clinic, owner);
    const requested = [first, second, third].map((browser, n) => ({ browser, typed: another + n }));
    await Promise.all(
      requested.map(({ browser, typed }) => change(browser, { password: typed, again: typed })),
    );
    const after: string[] = [];
    for (const { browser, typed } of requested) {
      const knows = await isValidPassword(owner, typed);
      after.push(`${knows ? "knows" : "does not know"} it, ${await isSignedIn(browser)}`);
    }
    const lost = "does not know it, false";
    expect(after.toSorted()).toEqual([lost, lost, "knows it, true"]);
  });

  test.each([
    ["another site", { "Sec-Fetch-Site": "cross-site" }],
    ["another origin", { Origin: "https://evil.example" }],
    ["a program without an Origin header", { Origin: null }],
  ])("from %s is refused, even with a session and the right token", async (_, headers) => {
    const { owner, first } = await ownerWith(1);
    const form = { current: password, password: another, again: another };
    const { status } = await first.submit("/dashboard/account", form, headers);
    expect(status).toBe(403);
    expect(await isValidPassword(owner, password)).toBe(true);
  });

  test("without the form token of its session is refused", async () => {
    const { owner, first, second } = await ownerWith(2);
    for (const form_token of ["", second.formToken]) {
      expect((await change(first, { form_token })).status).toBe(403);
    }
    expect(await isValidPassword(owner, password)).toBe(true);
  });

  test("without a session redirects to the sign-in, and back to the account", async () => {
    const stranger = visitorOf(service);
    const form = { current: password, password: another, again: another };
    const headers = { Referer: `${service.url}/dashboard/account` };
    const { status, location } = await stranger.submit("/dashboard/account", form, headers);
    const signInPath = "/dashboard/sign-in?next=%2Fdashboard%2Faccount";
    expect({ status, location }).toEqual({ status: 303, location: signInPath });
  });
});
