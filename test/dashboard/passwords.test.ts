import { randomBytes, scryptSync } from "node:crypto";
import { Passwords, renewPasswordLink } from "@queue-api/server";
import { describe, expect, test } from "vitest";
import { testService } from "../support/service.js";
import { errorAt, textOf } from "./support/html.js";
import {
  another,
  changePassword,
  inviteOwner,
  isSignedIn,
  newOwner,
  ownerWithBrowsers,
  password,
  setPassword,
  signIn,
  type TestOwner,
  visitorOf,
  wrong,
} from "./support/visitor.js";

const cheap = { ln: 4, r: 8, p: 1 };
const passwords = () => new Passwords({ random: randomBytes, cost: cheap });

describe("the hash of a password", () => {
  test("costs 128 MiB by default, and contains its parameters", async () => {
    const usual = new Passwords({ random: (bytes) => new Uint8Array(bytes).fill(7) });
    const hash = await usual.hash(password);
    const [, algorithm, cost, salt = "", kept = ""] = hash.split("$");
    expect([algorithm, cost]).toEqual(["scrypt", "ln=17,r=8,p=1"]);
    expect(Buffer.from(salt, "base64")).toEqual(Buffer.alloc(16, 7));
    const options = { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 };
    const expected = scryptSync(password, Buffer.alloc(16, 7), 32, options);
    expect(Buffer.from(kept, "base64")).toEqual(expected);
    expect(await passwords().matches(password, hash)).toBe(true); // regardless of the current cost
  });

  test("is different each time, and matches only that password", async () => {
    const hash = await passwords().hash(password);
    expect(await passwords().hash(password)).not.toBe(hash);
    expect(await passwords().matches(password, hash)).toBe(true);
    for (const wrong of ["", `${password} `, password.toUpperCase(), hash]) {
      expect(await passwords().matches(wrong, hash)).toBe(false);
    }
  });

  test("that is missing matches no password", async () => {
    for (const typed of ["", password]) expect(await passwords().matches(typed, null)).toBe(false);
  });

  test("in an unknown format is an error, not a wrong password", async () => {
    await expect(passwords().matches(password, "$2b$12$abc")).rejects.toThrow(/known form/);
  });
});

describe("concurrent passwords", () => {
  test("wait up to a limit, and all waiting passwords are hashed", async () => {
    const hasher = passwords();
    const hash = await hasher.hash(password);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 60 }, () => hasher.matches(password, hash)),
    );
    const matched = outcomes.filter((outcome) => outcome.status === "fulfilled");
    expect(matched.map(({ value }) => value)).toEqual(Array(22).fill(true));
    for (const outcome of outcomes.slice(22)) {
      expect(outcome).toMatchObject({ status: "rejected", reason: { name: "QueueFullError" } });
    }
    expect(await hasher.matches(password, hash)).toBe(true);
  });

  test("are not hashed for clients that disconnected, which free their place", async () => {
    const hasher = passwords();
    const callers = Array.from({ length: 20 }, () => new AbortController());
    const staying = Array.from({ length: 2 }, () => hasher.hash(password));
    const leaving = callers.map(({ signal }) => hasher.hash(password, signal));
    const refused = hasher.hash(password);
    await expect(refused).rejects.toMatchObject({ name: "QueueFullError" });
    for (const caller of callers) caller.abort(new Error("gone"));
    for (const one of leaving) await expect(one).rejects.toThrow("gone");
    const late = AbortSignal.abort(new Error("gone"));
    await expect(hasher.hash(password, late)).rejects.toThrow("gone");
    const hash = await hasher.hash(password);
    expect(await hasher.matches(password, hash)).toBe(true);
    await Promise.all(staying);
  });
});

/** Records its calls, runs a function while a password is hashed, and can act as if too many passwords wait. */
class WatchedPasswords extends Passwords {
  readonly asked: { readonly known: boolean }[] = [];
  isCrowded = false;
  meanwhile: () => Promise<unknown> = async () => {};

  override async matches(typed: string, hash: string | null): Promise<boolean> {
    this.asked.push({ known: hash !== null });
    const before = this.isCrowded ? 30 : 0;
    const crowd = Array.from({ length: before }, () => super.matches(password, null));
    const [outcome] = await Promise.allSettled([super.matches(typed, hash), ...crowd]);
    if (outcome.status === "rejected") throw outcome.reason;
    return outcome.value;
  }

  override async hash(typed: string, gone?: AbortSignal): Promise<string> {
    const { meanwhile } = this;
    this.meanwhile = async () => {};
    await meanwhile();
    return super.hash(typed, gone);
  }
}

const watched = new WatchedPasswords({ random: randomBytes, cost: cheap });
const service = await testService({ passwords: watched });
const stranger = () => visitorOf(service);
const invited = async () => inviteOwner(service, await service.clinic());

/** Whether an owner can sign in with a password. Tries it from a new address. */
async function isValidPassword(owner: TestOwner, typed: string): Promise<boolean> {
  const { status } = await signIn(stranger(), owner, { password: typed });
  expect([303, 422]).toContain(status);
  return status === 303;
}

describe("a sign-in", () => {
  test("hashes the password of an unknown account as well, so that the time reveals nothing", async () => {
    const owner = await newOwner(service, await service.clinic());
    watched.asked.length = 0;
    await signIn(stranger(), owner, wrong);
    await signIn(stranger(), { ...owner, email: "nobody@clinic.example" }, wrong);
    expect(watched.asked).toEqual([{ known: true }, { known: false }]);
  });

  test("that would wait too long gets 503 and Retry-After, and is no failed attempt", async () => {
    const owner = await newOwner(service, await service.clinic());
    const visitor = stranger();
    watched.isCrowded = true;
    let answer = await signIn(visitor, owner);
    for (let more = 0; more < 10; more++) answer = await signIn(visitor, owner);
    watched.isCrowded = false;
    expect([answer.status, answer.headers.get("Retry-After")]).toEqual([503, "5"]);
    expect(answer.body).toContain("try again in a moment");
    expect((await signIn(visitor, owner)).status).toBe(303);
  });
});

describe("the link to set a password", () => {
  const pageOf = ({ linkToken }: TestOwner) => `/dashboard/set-password?token=${linkToken}`;

  test("sets the password once, and signs the person in", async () => {
    const owner = await invited();
    const visitor = stranger();
    const page = await visitor.get(pageOf(owner));
    expect(page.status).toBe(200);
    expect(page.body).toContain(owner.email);
    const set = await setPassword(visitor, owner.linkToken);
    expect([set.status, set.location]).toEqual([303, "/dashboard"]);
    expect((await visitor.get("/dashboard")).body).toContain("Your password is set");

    expect((await setPassword(visitor, owner.linkToken)).status).toBe(410);
    const again = await visitor.get(pageOf(owner));
    expect(again.status).toBe(410);
    expect(again.body).toContain("queue-api account link");
    expect(await isValidPassword(owner, password)).toBe(true);
  });

  test("is not used up by a GET, which mail programs send", async () => {
    const owner = await invited();
    for (const method of ["GET", "GET", "HEAD"]) {
      expect((await stranger().send(method, pageOf(owner), null)).status).toBe(200);
    }
    expect((await setPassword(stranger(), owner.linkToken)).status).toBe(303);
  });

  test("that a refused form left out of the address is to be opened again", async () => {
    const { status, body } = await stranger().get("/dashboard/set-password");
    expect([status, body.includes("Open the link again")]).toEqual([400, true]);
    expect(body).not.toContain("no longer works");
  });

  test.each(["?token=", "?token=nothing", "?token=a&token=b"])(
    "is invalid at /set-password%s",
    async (query) => {
      expect((await stranger().get(`/dashboard/set-password${query}`)).status).toBe(410);
    },
  );
});

describe("a new password", () => {
  const key = "\u{1f511}";

  test.each([
    ["", "", "password", "Choose a password of at least 12 characters; this one has 0."],
    ["only-eleven", "and-another", "password", /this one has 11\./],
    [key.repeat(11), key.repeat(11), "password", /this one has 11\./],
    ["x".repeat(129), "x".repeat(129), "password", /of at most 128 characters\./],
    [another, `${another}.`, "again", "This is not the same as above. Type the password twice."],
    ["ß".repeat(12), "ß".repeat(12), "", null],
    [key.repeat(128), key.repeat(128), "", null],
  ])("has 12 to 128 characters, and is never shown again (%s)", async (...row) => {
    const [typed, again, field, said] = row;
    const { first: browser } = await ownerWithBrowsers(service);
    const { linkToken } = await invited();
    for (const { status, body } of [
      await setPassword(stranger(), linkToken, typed, again),
      ...(said === null ? [] : [await changePassword(browser, { password: typed, again })]),
    ]) {
      expect(status).toBe(said === null ? 303 : 422);
      if (said === null) return;
      expect(errorAt(body, field)).toEqual(
        typeof said === "string" ? said : expect.stringMatching(said),
      );
      for (const secret of [typed, again]) if (secret !== "") expect(body).not.toContain(secret);
    }
  });
});

describe("changing the password while signed in", () => {
  test("makes the new password valid, in a new session, and invalidates an earlier link", async () => {
    const { owner, first } = await ownerWithBrowsers(service);
    const context = { now: service.now(), random: randomBytes };
    const { token } = await renewPasswordLink(service.store, owner, context);
    const before = first.cookies.get("queue_api_session");
    const { status, location } = await changePassword(first);
    expect([status, location]).toEqual([303, "/dashboard/account"]);
    const { body } = await first.get("/dashboard/account");
    expect(body).toContain("Your password is changed");
    expect(textOf(body)).toContain("Signed in until 21 Nov 2026, 22:00 (Asia/Kolkata)"); // 12 hours
    expect(first.cookies.get("queue_api_session")).toHaveLength(43);
    expect(first.cookies.get("queue_api_session")).not.toBe(before);
    expect(await isValidPassword(owner, password)).toBe(false);
    expect((await setPassword(stranger(), token)).status).toBe(410);
    expect(await isValidPassword(owner, another)).toBe(true);
  });

  test("needs the current password, and changes nothing with a wrong one", async () => {
    const { owner, first, second } = await ownerWithBrowsers(service);
    const answer = await changePassword(first, { current: wrong.password });
    expect(answer.status).toBe(422);
    expect(errorAt(answer.body, "current")).toBe("This is not your password.");
    for (const typed of [wrong.password, another]) expect(answer.body).not.toContain(typed);
    const empty = await changePassword(first, { current: "" });
    expect(errorAt(empty.body, "current")).toBe("Enter your current password.");
    expect((await first.submit("/dashboard/account")).status).toBe(422);
    expect([await isSignedIn(first), await isSignedIn(second)]).toEqual([true, true]);
    expect(await isValidPassword(owner, another)).toBe(false);
    expect(await isValidPassword(owner, password)).toBe(true);
  });

  test("has a form that labels its fields for password managers", async () => {
    const { owner, first } = await ownerWithBrowsers(service);
    const { body } = await first.get("/dashboard/account");
    const form = /<form[^>]*action="\/dashboard\/account".*?<\/form>/s.exec(body)?.[0] ?? "";
    const inputs = [...form.matchAll(/<input[^>]*autocomplete="([^"]+)"/g)].map(([, is]) => is);
    expect(inputs).toEqual(["username", "current-password", "new-password", "new-password"]);
    expect(form).toContain(`value="${owner.email}" autocomplete="username"`);
  });

  test("in two browsers at the same time succeeds in one; the other is signed out and shows a message", async () => {
    const { owner, first, second } = await ownerWithBrowsers(service);
    const theirs = `${another}, and a trumpet`;
    watched.meanwhile = () => changePassword(second, { password: theirs, again: theirs });
    const { status, location } = await changePassword(first);
    expect([status, location]).toEqual([303, "/dashboard/account"]);
    expect(await isSignedIn(second)).toBe(true);
    const { location: signInPath } = await first.get("/dashboard/account");
    const { body } = await first.get(signInPath ?? "");
    expect(body).toContain("changed in another browser, so nothing was changed here");
    expect(await isValidPassword(owner, another)).toBe(false);
    expect(await isValidPassword(owner, theirs)).toBe(true);
  });
});
