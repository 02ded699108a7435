import { describe, expect, test } from "vitest";
import { testService, withClock } from "../support/service.js";
import {
  newOwner,
  password,
  signedInVisitor,
  signIn,
  type TestOwner,
  type Visitor,
  visitorOf,
} from "./support/visitor.js";

const service = await testService();
const another = "purple elephant on a bicycle";
const wrong = { password: "this is not the password" };
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
function atAnotherAddress(browser: Visitor): Visitor {
  const moved = visitorOf(service);
  moved.cookies.set(name, browser.cookies.get(name) ?? "");
  return moved;
}

describe("an owner whose e-mail address is barred", () => {
  test("can sign in only in a browser where they signed in before, from any address", async () => {
    const { owner, browser } = await ownerWithBrowser();
    await browser.submit("/dashboard/sign-out");
    await bar(owner);
    expect((await signIn(atAnotherAddress(browser), owner)).status).toBe(303);
    expect((await signIn(browser, owner)).status).toBe(303);
    expect((await signIn(visitorOf(service), owner)).status).toBe(429);
  });

  test("can sign in there long after the session has ended", () =>
    withClock(service, async (clock) => {
      const { owner, browser } = await ownerWithBrowser();
      clock.advance({ hours: 100 * 24 });
      await bar(owner);
      expect((await signIn(browser, owner)).status).toBe(303);
    }));

  test("can change the password in a signed-in browser", async () => {
    const { owner, browser } = await ownerWithBrowser();
    await bar(owner);
    const form = { current: password, password: another, again: another };
    expect((await browser.submit("/dashboard/account", form)).status).toBe(303);
  });
});

describe("a browser in which an owner has signed in", () => {
  test("allows ten failed sign-ins in ten minutes, from any address", () =>
    withClock(service, async (clock) => {
      const { owner, browser } = await ownerWithBrowser();
      for (let n = 0; n < 10; n++) {
        expect((await signIn(atAnotherAddress(browser), owner, wrong)).status).toBe(422);
      }
      expect((await signIn(atAnotherAddress(browser), owner)).status).toBe(429);
      expect((await signIn(visitorOf(service), owner)).status).toBe(303); // other browsers are not barred
      clock.advance({ minutes: 10 });
      expect((await signIn(atAnotherAddress(browser), owner)).status).toBe(303);
    }));

  test("does not bypass the window of an address", async () => {
    const { owner, browser } = await ownerWithBrowser();
    for (let n = 0; n < 10; n++) {
      await signIn(browser, { ...owner, email: `nobody${n}@clinic.example` }, wrong);
    }
    expect((await signIn(browser, owner)).status).toBe(429);
  });

  test("is known for that owner only", async () => {
    const { clinic, owner } = await ownerWithBrowser();
    const colleague = await newOwner(service, clinic);
    const theirs = await signedInVisitor(service, clinic, colleague);
    await bar(owner);
    expect((await signIn(atAnotherAddress(theirs), owner)).status).toBe(429);
  });

  test("is no longer known after the owner changes the password", async () => {
    const { clinic, owner, browser } = await ownerWithBrowser();
    const lost = await signedInVisitor(service, clinic, owner);
    const form = { current: password, password: another, again: another };
    await browser.submit("/dashboard/account", form);
    await bar(owner);
    const right = { password: another };
    expect((await signIn(atAnotherAddress(lost), owner, right)).status).toBe(429);
    expect((await signIn(atAnotherAddress(browser), owner, right)).status).toBe(303);
  });

  test.each(["", "x", `${"A".repeat(43)}.${"0".repeat(64)}`, "%00"])(
    "is not recognized by a cookie with the value %j",
    async (value) => {
      const { owner } = await ownerWithBrowser();
      await bar(owner);
      const stranger = visitorOf(service);
      stranger.cookies.set(name, value);
      expect((await signIn(stranger, owner)).status).toBe(429);
    },
  );
});

describe("the cookie of a known browser", () => {
  test("is hidden from scripts and other sites, lasts half a year, and does not sign in", async () => {
    const { owner, browser } = await ownerWithBrowser();
    const { setCookies } = await signIn(visitorOf(service), owner);
    const line = setCookies.find((line) => line.startsWith(`${name}=`)) ?? "";
    const attributes = line.split("; ").filter((one) => !/^(Expires|queue)/.test(one));
    expect(attributes.toSorted()).toEqual(
      ["HttpOnly", "Max-Age=15724800", "Path=/dashboard", "SameSite=Strict"].toSorted(),
    );
    expect((await atAnotherAddress(browser).get("/dashboard/account")).status).toBe(303);
  });

  test("behind https is bound to https and to this host", async () => {
    const owner = await newOwner(service, await service.clinic());
    const visitor = visitorOf(service, { "X-Forwarded-Proto": "https" });
    const { setCookies } = await signIn(visitor, owner);
    const line = setCookies.find((line) => line.includes(name)) ?? "";
    expect(line).toMatch(/^__Host-queue_api_browser=.*; Secure/);
  });

  test("is not set after a failed sign-in", async () => {
    const owner = await newOwner(service, await service.clinic());
    const visitor = visitorOf(service);
    await signIn(visitor, owner, wrong);
    expect(visitor.cookies.has(name)).toBe(false);
  });
});
