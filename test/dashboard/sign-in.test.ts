import { randomBytes } from "node:crypto";
import { renewPasswordLink } from "@queue-api/server";
import { describe, expect, test } from "vitest";
import { testService } from "../support/service.js";
import {
  another,
  type Browsers,
  changePassword,
  copyOf,
  inviteOwner,
  isSignedIn,
  newOwner,
  ownerWithBrowsers,
  type PageAnswer,
  password,
  setPassword,
  signedInVisitor,
  signIn,
  type TestOwner,
  type Visitor,
  visitorOf,
  wrong,
} from "./support/visitor.js";

const service = await testService();
const { clock, store } = service;
const context = () => ({ now: service.now(), random: randomBytes });
const ownerOfClinic = async () => newOwner(service, await service.clinic());
const stranger = () => visitorOf(service);
const nobody = (n: number | string) => ({ email: `nobody${n}@clinic.example`, linkToken: "" });

/** A visitor at another address that has only the session of a browser. */
const withSessionOf = (browser: Visitor) => copyOf(service, browser, "queue_api_session");
/** A visitor at another address that has only the cookie of a known browser. */
const atAnotherAddress = (browser: Visitor) => copyOf(service, browser, "queue_api_browser");

describe("signing in", () => {
  test("accepts any case of the e-mail address and any composition of the password, and nothing else", async () => {
    const owner = await inviteOwner(service, await service.clinic());
    await setPassword(stranger(), owner.linkToken, "caf\u00e9 am Marktplatz");
    for (const [email, password, status] of [
      [` ${owner.email.toUpperCase()} `, "caf\u00e9 am Marktplatz", 303],
      [owner.email, "cafe\u0301 am Marktplatz", 303],
      [owner.email, "Caf\u00e9 am Marktplatz", 422],
      [owner.email, "caf\u00e9 am Marktplatz ", 422],
    ] as const)
      expect((await signIn(stranger(), { ...owner, email }, { password })).status).toBe(status);
  });

  test("responds identically to an unknown address, a wrong password and an account without a password", async () => {
    const known = await ownerOfClinic();
    const { email: withoutPassword } = await inviteOwner(service, await service.clinic());
    const answers = [];
    for (const email of [known.email, withoutPassword, "nobody@clinic.example", "no address"]) {
      const { status, headers, body } = await signIn(stranger(), { ...known, email }, wrong);
      const names = [...headers.keys()].filter((name) => name !== "content-length");
      answers.push({ status, names, body: body.replaceAll(email, "EMAIL") });
    }
    const [first] = answers;
    for (const answer of answers) expect(answer).toEqual(first);
    expect(first?.status).toBe(422);
    expect(first?.body).toContain("The e-mail address or the password is wrong.");
    expect(first?.body).toContain('value="EMAIL"');
    expect(first?.body).not.toContain(wrong.password);
  });

  test("names the empty field", async () => {
    const { status, body } = await stranger().submit("/dashboard/sign-in", { email: " " });
    expect(status).toBe(422);
    for (const said of ["Enter your e-mail address.", "Fill this in."])
      expect(body).toContain(said);
  });
});

test("a sign-in replaces a token that another site has planted", async () => {
  const visitor = stranger();
  const planted = "A".repeat(43);
  visitor.cookies.set("queue_api_session", planted);
  await signIn(visitor, await ownerOfClinic());
  expect(visitor.cookies.get("queue_api_session")).not.toBe(planted);
  expect(await isSignedIn(visitor)).toBe(true);
});

describe("failed sign-ins", () => {
  const ipv6 = `2001:db8:${randomBytes(2).toString("hex")}:1`;
  const ofNetwork = (n: number) =>
    visitorOf(service, { "X-Forwarded-For": `${ipv6}::${n.toString(16)}` });
  const wrongly = { current: wrong.password };

  /** The attempts fail with `wrong`, and are right without it. They have the same number at most once. */
  type Attempt = (known: Browsers, n: number, typed?: typeof wrong) => Promise<PageAnswer>;

  test.each<[string, Attempt, ((known: Browsers) => Promise<PageAnswer>) | null]>([
    [
      "an address, or an IPv6 network,",
      ({ owner }, n, typed) => signIn(ofNetwork(n), typed ? nobody(n) : owner, typed),
      ({ owner }) => signIn(stranger(), owner),
    ],
    [
      "an e-mail address",
      ({ owner }, _, typed) => signIn(stranger(), owner, typed),
      ({ owner, first }) => signIn(first, owner),
    ],
    [
      "an account, by sign-ins and by wrong current passwords together",
      ({ owner, first }, n, typed) =>
        typed && n < 6
          ? signIn(stranger(), owner, typed)
          : changePassword(withSessionOf(first), typed && wrongly),
      null,
    ],
    [
      "a browser in which the owner has signed in, at any address",
      ({ owner, first }, _, typed) => signIn(atAnotherAddress(first), owner, typed),
      ({ owner }) => signIn(stranger(), owner),
    ],
    [
      "the owner's browser, by wrong current passwords",
      ({ first }, _, typed) => changePassword(first, typed && wrongly),
      null,
    ],
  ])("bar %s after ten in ten minutes, even with the right password", async (...row) => {
    const [, attempt, elsewhere] = row;
    const known = await ownerWithBrowsers(service);
    for (let n = 0; n < 10; n++) expect((await attempt(known, n, wrong)).status).toBe(422);
    const barred = await attempt(known, 10);
    expect([barred.status, barred.headers.get("Retry-After")]).toEqual([429, "600"]);
    expect(barred.body).toContain("Try again in 10 minutes.");
    expect(await isSignedIn(known.first)).toBe(true);
    if (elsewhere) expect((await elsewhere(known)).status).toBe(303);

    clock.advance({ seconds: 600 });
    expect((await attempt(known, 11)).status).toBe(303);
  });

  test("bar an e-mail address without an account in the same way, and no API key", async () => {
    for (let n = 0; n < 10; n++) await signIn(stranger(), nobody("x"), wrong);
    const barred = stranger();
    expect((await signIn(barred, nobody("x"), wrong)).status).toBe(429);
    const { status, headers } = await barred.get("/v1/me");
    expect([status, headers.get("RateLimit-Remaining")]).toEqual([401, "29"]);
  });

  test("do not include a right password, or a form that is incomplete", async () => {
    const { owner, first } = await ownerWithBrowsers(service);
    for (let n = 0; n < 11; n++) {
      expect((await signIn(first, owner)).status).toBe(303);
      await first.get("/dashboard/account");
      expect((await changePassword(first, { again: "" })).status).toBe(422);
      const same = { password, again: password };
      expect((await changePassword(first, same)).status).toBe(303);
    }
  });
});

describe("an owner whose e-mail address is barred", () => {
  /** Fails to sign in with an e-mail address until it is barred. */
  async function bar(owner: TestOwner): Promise<void> {
    for (let n = 0; n < 10; n++) await signIn(stranger(), owner, wrong);
    expect((await signIn(stranger(), owner)).status).toBe(429);
  }

  test.each<[string, number, (known: Browsers) => Visitor | Promise<Visitor>]>([
    ["the browser of an earlier sign-in", 303, ({ first }) => first],
    ["that browser at another address", 303, ({ first }) => atAnotherAddress(first)],
    [
      "a browser where a colleague signed in",
      429,
      async ({ clinic }) => atAnotherAddress(await signedInVisitor(service, clinic)),
    ],
  ])("signs in with %s: %i", async (_, status, browserOf) => {
    const known = await ownerWithBrowsers(service);
    await known.first.submit("/dashboard/sign-out");
    const browser = await browserOf(known);
    clock.advance({ days: 100 }); // long after the session has ended
    await bar(known.owner);
    expect((await signIn(browser, known.owner)).status).toBe(status);
  });

  test("can use a new link, or change the password in a signed-in browser, but then no longer sign in with other browsers", async () => {
    const { owner, first, second } = await ownerWithBrowsers(service);
    await bar(owner);
    expect((await changePassword(first)).status).toBe(303);
    const right = { password: another };
    expect((await signIn(atAnotherAddress(second), owner, right)).status).toBe(429);
    expect((await signIn(atAnotherAddress(first), owner, right)).status).toBe(303);
    const { token } = await renewPasswordLink(store, owner, context());
    const visitor = stranger();
    await setPassword(visitor, token);
    expect(await isSignedIn(visitor)).toBe(true);
  });
});

test("the cookie of a known browser signs nobody in, and a failed sign-in gives none", async () => {
  const { owner, first } = await ownerWithBrowsers(service);
  expect(await isSignedIn(atAnotherAddress(first))).toBe(false);
  const visitor = stranger();
  await signIn(visitor, owner, wrong);
  expect(visitor.cookies.has("queue_api_browser")).toBe(false);
});

describe("a session", () => {
  const newLink = async (owner: TestOwner) =>
    (await renewPasswordLink(store, owner, context())).token;

  test.each<[string, (browsers: Browsers) => Promise<unknown>, string]>([
    ["signing out", ({ first }) => first.submit("/dashboard/sign-out"), "second colleague"],
    [
      "signing out everywhere",
      ({ first }) => first.submit("/dashboard/sign-out", { everywhere: "yes" }),
      "colleague",
    ],
    [
      "a sign-in in its browser",
      ({ first, owner }) => signIn(first, owner),
      "first second colleague",
    ],
    [
      "another password by a link",
      async ({ owner }) => setPassword(stranger(), await newLink(owner), another),
      "colleague",
    ],
    ["another password in its browser", ({ first }) => changePassword(first), "first colleague"],
    [
      "a link that another person opens in its browser",
      async ({ clinic, first }) =>
        setPassword(first, (await inviteOwner(service, clinic)).linkToken),
      "first second colleague",
    ],
  ])("ends by %s; these are signed in then: $2", async (_, act, expected) => {
    const browsers = await ownerWithBrowsers(service);
    const { first, second, clinic } = browsers;
    const colleague = await signedInVisitor(service, clinic);
    const copied = copyOf(service, first); // has the token of the session before
    await act(browsers);
    const signedIn = [];
    for (const [name, visitor] of Object.entries({ first, second, copied, colleague }))
      if (await isSignedIn(visitor)) signedIn.push(name);
    expect(signedIn.join(" ")).toBe(expected);
  });
});
