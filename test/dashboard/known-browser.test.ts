import { describe, expect, test } from "vitest";
import type { Clinic } from "../support/clinic.js";
import { testService } from "../support/service.js";
import {
  another,
  copyOf,
  newOwner,
  password,
  signedInVisitor,
  signIn,
  type TestOwner,
  type Visitor,
  visitorOf,
  wrong,
} from "./support/visitor.js";

const service = await testService();
const { clock } = service;
const name = "queue_api_browser";

/** An owner with a browser in which they have signed in. */
async function ownerWithBrowser() {
  const clinic = await service.clinic();
  const owner = await newOwner(service, clinic);
  return { clinic, owner, browser: await signedInVisitor(service, clinic, owner) };
}

/** Fails to sign in with an e-mail address until it is barred. */
async function bar(owner: TestOwner): Promise<void> {
  for (let n = 0; n < 10; n++) await signIn(visitorOf(service), owner, wrong);
  expect((await signIn(visitorOf(service), owner)).status).toBe(429);
}

/** A visitor at another address that has only the cookie of a known browser. */
const atAnotherAddress = (browser: Visitor) => copyOf(service, browser, name);

function withCookie(value: string): Visitor {
  const stranger = visitorOf(service);
  stranger.cookies.set(name, value);
  return stranger;
}

const changePassword = (browser: Visitor) =>
  browser.submit("/dashboard/account", { current: password, password: another, again: another });

interface Known {
  readonly clinic: Clinic;
  readonly browser: Visitor;
}

describe("an owner whose e-mail address is barred", () => {
  test.each<[string, number, (known: Known) => Visitor | Promise<Visitor>]>([
    ["the browser of an earlier sign-in", 303, ({ browser }) => browser],
    ["that browser at another address", 303, ({ browser }) => atAnotherAddress(browser)],
    [
      "a browser where a colleague signed in",
      429,
      async ({ clinic }) =>
        atAnotherAddress(await signedInVisitor(service, clinic, await newOwner(service, clinic))),
    ],
    ...["", "x", `${"A".repeat(43)}.${"0".repeat(64)}`, "%00"].map(
      (value): [string, number, () => Visitor] => [
        `a browser whose cookie is ${JSON.stringify(value)}`,
        429,
        () => withCookie(value),
      ],
    ),
  ])("signs in with %s: %i", async (_, status, browserOf) => {
    const known = await ownerWithBrowser();
    await known.browser.submit("/dashboard/sign-out");
    const browser = await browserOf(known);
    await bar(known.owner);
    expect((await signIn(browser, known.owner)).status).toBe(status);
  });

  test("can sign in there long after the session has ended", async () => {
    const { owner, browser } = await ownerWithBrowser();
    clock.advance({ hours: 100 * 24 });
    await bar(owner);
    expect((await signIn(browser, owner)).status).toBe(303);
  });

  test("can change the password in a signed-in browser, and then no longer sign in with other browsers", async () => {
    const { clinic, owner, browser } = await ownerWithBrowser();
    const lost = await signedInVisitor(service, clinic, owner);
    await bar(owner);
    expect((await changePassword(browser)).status).toBe(303);
    const right = { password: another };
    expect((await signIn(atAnotherAddress(lost), owner, right)).status).toBe(429);
    expect((await signIn(atAnotherAddress(browser), owner, right)).status).toBe(303);
  });
});

describe("a browser in which an owner has signed in", () => {
  test("allows ten failed sign-ins in ten minutes, from any address", async () => {
    const { owner, browser } = await ownerWithBrowser();
    for (let n = 0; n < 10; n++) {
      expect((await signIn(atAnotherAddress(browser), owner, wrong)).status).toBe(422);
    }
    expect((await signIn(atAnotherAddress(browser), owner)).status).toBe(429);
    expect((await signIn(visitorOf(service), owner)).status).toBe(303); // other browsers are not barred
    clock.advance({ minutes: 10 });
    expect((await signIn(atAnotherAddress(browser), owner)).status).toBe(303);
  });

  test("does not bypass the window of an address", async () => {
    const { owner, browser } = await ownerWithBrowser();
    for (let n = 0; n < 10; n++) {
      await signIn(browser, { ...owner, email: `nobody${n}@clinic.example` }, wrong);
    }
    expect((await signIn(browser, owner)).status).toBe(429);
  });

  test("is not signed in by its cookie, and gets none after a failed sign-in", async () => {
    const { owner, browser } = await ownerWithBrowser();
    expect((await atAnotherAddress(browser).get("/dashboard/account")).status).toBe(303);
    const visitor = visitorOf(service);
    await signIn(visitor, owner, wrong);
    expect(visitor.cookies.has(name)).toBe(false);
  });
});
