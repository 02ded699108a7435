import { randomBytes, scryptSync } from "node:crypto";
import { Passwords, renewPasswordLink } from "@queue-api/server";
import { afterEach, describe, expect, test, vi } from "vitest";
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

const passwords = () => new Passwords({ random: randomBytes, cost: { ln: 4, r: 8, p: 1 } });

test("a hash costs 128 MiB by default, and contains its parameters", async () => {
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

test("a hash in an unknown format is an error, not a wrong password", async () => {
  await expect(passwords().matches(password, "$2b$12$abc")).rejects.toThrow(/known form/);
});

/** Enters 60 passwords at once, and returns what becomes of each. */
const crowd = (hasher: Passwords) =>
  Promise.allSettled(Array.from({ length: 60 }, () => hasher.matches(password, null)));

describe("concurrent passwords", () => {
  test("wait up to a limit, and all waiting passwords are hashed", async () => {
    const outcomes = await crowd(passwords());
    const hashed = { status: "fulfilled", value: false };
    expect(outcomes.slice(0, 22)).toEqual(Array(22).fill(hashed));
    for (const outcome of outcomes.slice(22)) {
      expect(outcome).toMatchObject({ status: "rejected", reason: { name: "QueueFullError" } });
    }
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
    await Promise.all([...staying, hasher.hash(password)]);
  });
});

const hasher = passwords();
const service = await testService({ passwords: hasher });
const stranger = () => visitorOf(service);
const invited = async () => inviteOwner(service, await service.clinic());
afterEach(() => vi.restoreAllMocks());

/** Whether an owner can sign in with a password. Tries it from a new address. */
async function isValidPassword(owner: TestOwner, typed: string): Promise<boolean> {
  const { status } = await signIn(stranger(), owner, { password: typed });
  expect([303, 422]).toContain(status);
  return status === 303;
}

describe("a sign-in", () => {
  test("hashes the password of an unknown account as well, so that the time reveals nothing", async () => {
    const owner = await newOwner(service, await service.clinic());
    const matches = vi.spyOn(hasher, "matches");
    await signIn(stranger(), owner, wrong);
    await signIn(stranger(), { ...owner, email: "nobody@clinic.example" }, wrong);
    const hashes = matches.mock.calls.map(([, hash]) => hash);
    expect(hashes).toEqual([expect.stringContaining("scrypt"), null]);
  });

  test("that would wait too long gets 503 and Retry-After, and is no failed attempt", async () => {
    const owner = await newOwner(service, await service.clinic());
    const visitor = stranger();
    const refused = (await crowd(passwords())).find((one) => one.status === "rejected");
    vi.spyOn(hasher, "matches").mockRejectedValue(refused?.reason);
    for (let n = 0; n < 11; n++) {
      const { status, headers, body } = await signIn(visitor, owner);
      expect([status, headers.get("Retry-After")]).toEqual([503, "5"]);
      expect(body).toContain("try again in a moment");
    }
    vi.restoreAllMocks();
    expect((await signIn(visitor, owner)).status).toBe(303);
  });
});

describe("the link to set a password", () => {
  const pageOf = ({ linkToken }: TestOwner) => `/dashboard/set-password?token=${linkToken}`;

  test("sets the password once, and signs the person in, although mail programs open it too", async () => {
    const owner = await invited();
    const visitor = stranger();
    for (const method of ["GET", "HEAD"])
      expect((await stranger().send(method, pageOf(owner), null)).status).toBe(200);
    expect((await visitor.get(pageOf(owner))).body).toContain(owner.email);
    const set = await setPassword(visitor, owner.linkToken);
    expect([set.status, set.location]).toEqual([303, "/dashboard"]);
    expect((await visitor.get("/dashboard")).body).toContain("Your password is set");

    for (const again of [
      await setPassword(visitor, owner.linkToken),
      await visitor.get(pageOf(owner)),
    ])
      expect([again.status, again.body]).toEqual([410, expect.stringContaining("account link")]);
    expect(await isValidPassword(owner, password)).toBe(true);
  });

  test("that a refused form left out of the address is to be opened again", async () => {
    const { status, body } = await stranger().get("/dashboard/set-password");
    expect([status, body.includes("Open the link again")]).toEqual([400, true]);
    expect(body).not.toContain("no longer works");
  });

  test.each(["", "nothing", "a&token=b"])("is invalid with the token %j", async (token) => {
    const { status } = await stranger().get(`/dashboard/set-password?token=${token}`);
    expect(status).toBe(410);
  });
});

describe("a new password", () => {
  const key = "\u{1f511}";

  test.each([
    ["", "", "password", "Choose a password of at least 12 characters; this one has 0."],
    ["only-eleven", "and-another", "password", "this one has 11."],
    [key.repeat(11), key.repeat(11), "password", "this one has 11."],
    ["x".repeat(129), "x".repeat(129), "password", "of at most 128 characters."],
    [another, `${another}.`, "again", "This is not the same as above. Type the password twice."],
  ])("is refused at its field, and never shown again (%s)", async (typed, again, field, said) => {
    const { first: browser } = await ownerWithBrowsers(service);
    const { linkToken } = await invited();
    for (const { status, body } of [
      await setPassword(stranger(), linkToken, typed, again),
      await changePassword(browser, { password: typed, again }),
    ]) {
      expect([status, errorAt(body, field)]).toEqual([422, expect.stringContaining(said)]);
      for (const secret of [typed, again]) if (secret !== "") expect(body).not.toContain(secret);
    }
  });

  test.each(["ß".repeat(12), key.repeat(128)])("has 12 to 128 characters (%s)", async (typed) => {
    const { linkToken } = await invited();
    expect((await setPassword(stranger(), linkToken, typed)).status).toBe(303);
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
    vi.spyOn(hasher, "hash").mockImplementationOnce(async (...typed) => {
      await changePassword(second, { password: theirs, again: theirs });
      return passwords().hash(...typed);
    });
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
