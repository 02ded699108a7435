import { randomBytes } from "node:crypto";
import { removeOwner, renewPasswordLink } from "@queue-api/server";
import { describe, expect, test } from "vitest";
import { testService } from "../support/service.js";
import {
  another,
  copyOf,
  inviteOwner,
  isSignedIn,
  newOwner,
  password,
  setPassword,
  signedInVisitor,
  signIn,
  type TestOwner,
  visitorOf,
  wrong,
} from "./support/visitor.js";

const service = await testService();
const { clock, store } = service;
const context = () => ({ now: service.now(), random: randomBytes });
const invited = async () => inviteOwner(service, await service.clinic());
const ownerOfClinic = async () => newOwner(service, await service.clinic());

describe("signing in", () => {
  test("accepts any case of the e-mail address and any composition of the password, and nothing else", async () => {
    const owner = await invited();
    await setPassword(visitorOf(service), owner.linkToken, "caf\u00e9 am Marktplatz");
    const answers = [];
    for (const [email, password] of [
      [` ${owner.email.toUpperCase()} `, "caf\u00e9 am Marktplatz"],
      [owner.email, "cafe\u0301 am Marktplatz"],
      [owner.email, "Caf\u00e9 am Marktplatz"],
      [owner.email, "caf\u00e9 am Marktplatz "],
    ] as const) {
      answers.push((await signIn(visitorOf(service), { ...owner, email }, { password })).status);
    }
    expect(answers).toEqual([303, 303, 422, 422]);
  });

  test("responds identically to an unknown address, a wrong password and an account without a password", async () => {
    const known = await ownerOfClinic();
    const { email: withoutPassword } = await invited();
    const answers = [];
    for (const email of [known.email, withoutPassword, "nobody@clinic.example", "no address"]) {
      const { status, headers, body } = await signIn(
        visitorOf(service),
        { ...known, email },
        wrong,
      );
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
    const { status, body } = await visitorOf(service).submit("/dashboard/sign-in", { email: " " });
    expect(status).toBe(422);
    expect(body).toContain("Enter your e-mail address.");
    expect(body).toContain("Fill this in.");
  });

  test("redirects a person who is already signed in to the dashboard", async () => {
    const visitor = await signedInVisitor(service, await service.clinic());
    const { status, location } = await visitor.get("/dashboard/sign-in?next=/dashboard/account");
    expect({ status, location }).toEqual({ status: 303, location: "/dashboard/account" });
  });

  test("creates a new token for each sign-in, and ends the previous session of the browser", async () => {
    const owner = await ownerOfClinic();
    const visitor = visitorOf(service);
    const planted = "A".repeat(43);
    visitor.cookies.set("queue_api_session", planted);
    await signIn(visitor, owner);
    expect(visitor.cookies.get("queue_api_session")).not.toBe(planted);
    const earlier = copyOf(service, visitor);
    expect(await isSignedIn(earlier)).toBe(true);

    await signIn(visitor, owner);
    expect(await isSignedIn(visitor)).toBe(true);
    expect(await isSignedIn(earlier)).toBe(false);
  });
});

describe("throttling", () => {
  test("bars an address after ten failures in ten minutes, even with the right password", async () => {
    const owner = await ownerOfClinic();
    const visitor = visitorOf(service);
    for (let n = 0; n < 10; n++) {
      const email = `nobody${n}@clinic.example`;
      expect((await signIn(visitor, { ...owner, email }, wrong)).status).toBe(422);
    }
    const barred = await signIn(visitor, owner);
    expect(barred.status).toBe(429);
    expect(barred.headers.get("Retry-After")).toBe("600");
    expect(barred.body).toContain("Try again in 10 minutes.");
    expect((await signIn(visitorOf(service), owner)).status).toBe(303);

    clock.advance({ seconds: 599 });
    const late = await signIn(visitor, owner);
    expect([late.status, late.headers.get("Retry-After")]).toEqual([429, "1"]);
    clock.advance({ seconds: 1 });
    expect((await signIn(visitor, owner)).status).toBe(303);
  });

  const network = `2001:db8:${randomBytes(2).toString("hex")}:1`;
  const nobody = { email: `nobody-${crypto.randomUUID()}@clinic.example`, linkToken: "" };

  test.each<[string, (n: number, owner: TestOwner) => Parameters<typeof signIn>]>([
    ["an e-mail address", (_, owner) => [visitorOf(service), owner]],
    ["an e-mail address without an account", () => [visitorOf(service), nobody]],
    [
      "all addresses of an IPv6 network",
      (n, owner) => [
        visitorOf(service, { "X-Forwarded-For": `${network}::${n}` }),
        n < 10 ? { ...owner, email: `nobody${n}@a.example` } : owner,
      ],
    ],
  ])("bars %s after ten failures", async (_, attempt) => {
    const owner = await ownerOfClinic();
    for (let n = 0; n < 10; n++) {
      const [visitor, account] = attempt(n, owner);
      expect((await signIn(visitor, account, wrong)).status).toBe(422);
    }
    expect((await signIn(...attempt(10, owner))).status).toBe(429);
  });

  test("keeps the sessions of a barred owner, and accepts a new link", async () => {
    const clinic = await service.clinic();
    const owner = await newOwner(service, clinic);
    const inside = await signedInVisitor(service, clinic, owner);
    for (let n = 0; n < 10; n++) await signIn(visitorOf(service), owner, wrong);
    expect(await isSignedIn(inside)).toBe(true);

    const { token } = await renewPasswordLink(store, owner, context());
    const visitor = visitorOf(service);
    await setPassword(visitor, token);
    expect(await isSignedIn(visitor)).toBe(true);
  });

  test("does not count successful sign-ins", async () => {
    const owner = await ownerOfClinic();
    const visitor = visitorOf(service);
    for (let n = 0; n < 15; n++) expect((await signIn(visitor, owner)).status).toBe(303);
  });

  test("limits concurrent attempts", async () => {
    const owner = await ownerOfClinic();
    const visitors = Array.from({ length: 20 }, () => visitorOf(service));
    const answers = await Promise.all(visitors.map((one) => signIn(one, owner, wrong)));
    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([...Array(10).fill(422), ...Array(10).fill(429)]);
  });

  test("is independent of failed API keys", async () => {
    const visitor = visitorOf(service);
    const unknown = { email: "nobody@b.example", linkToken: "" };
    for (let n = 0; n < 11; n++) await signIn(visitor, unknown, wrong);
    const { status, headers } = await visitor.get("/v1/me");
    expect([status, headers.get("RateLimit-Remaining")]).toEqual([401, "29"]);
  });
});

describe("a session", () => {
  test("ends 12 hours after the sign-in, even when it is in use, and shows its end in local time", async () => {
    const clinic = await service.clinic({ timezone: "Asia/Kolkata" });
    clock.set(Date.UTC(2027, 0, 4, 4, 30));
    const visitor = await signedInVisitor(service, clinic);
    expect((await visitor.get("/dashboard/account")).body).toContain("4 Jan 2027, 22:00");
    for (let hour = 1; hour < 12; hour++) {
      clock.advance({ hours: 1 });
      expect(await isSignedIn(visitor)).toBe(true);
    }
    clock.advance({ minutes: 59, seconds: 59 });
    expect(await isSignedIn(visitor)).toBe(true);
    clock.advance({ seconds: 1 });
    expect(await isSignedIn(visitor)).toBe(false);
  });

  test("ends by signing out, in this browser only", async () => {
    const clinic = await service.clinic();
    const owner = await newOwner(service, clinic);
    const phone = await signedInVisitor(service, clinic, owner);
    const tablet = await signedInVisitor(service, clinic, owner);
    const copied = copyOf(service, phone);

    const answer = await phone.submit("/dashboard/sign-out");
    expect([answer.status, answer.location]).toEqual([303, "/dashboard/sign-in"]);
    expect([...phone.cookies.keys()]).not.toContain("queue_api_session");
    expect((await phone.get("/dashboard/sign-in")).body).toContain("You are signed out.");
    expect(await isSignedIn(copied)).toBe(false);
    expect(await isSignedIn(tablet)).toBe(true);
  });

  test("ends in all browsers at once on request", async () => {
    const clinic = await service.clinic();
    const owner = await newOwner(service, clinic);
    const browsers = [];
    for (let n = 0; n < 3; n++) browsers.push(await signedInVisitor(service, clinic, owner));
    const colleague = await signedInVisitor(service, clinic);
    await browsers[0]?.submit("/dashboard/sign-out", { everywhere: "yes" });
    for (const browser of browsers) expect(await isSignedIn(browser)).toBe(false);
    expect(await isSignedIn(colleague)).toBe(true);
  });

  test("ends when its owner is removed or sets another password", async () => {
    const clinic = await service.clinic();
    const [removed, renewed] = [await newOwner(service, clinic), await newOwner(service, clinic)];
    const first = await signedInVisitor(service, clinic, removed);
    const second = await signedInVisitor(service, clinic, renewed);
    await removeOwner(store, removed);
    expect(await isSignedIn(first)).toBe(false);

    const { token } = await renewPasswordLink(store, renewed, context());
    expect(await isSignedIn(second)).toBe(true);
    await setPassword(visitorOf(service), token, another);
    expect(await isSignedIn(second)).toBe(false);
    const status = async (password: string) =>
      (await signIn(visitorOf(service), renewed, { password })).status;
    expect([await status(password), await status(another)]).toEqual([422, 303]);
  });
});

describe("the link to set a password", () => {
  const pageOf = ({ linkToken }: TestOwner) => `/dashboard/set-password?token=${linkToken}`;

  test("sets the password once, and signs the person in", async () => {
    const owner = await invited();
    const visitor = visitorOf(service);
    const page = await visitor.get(pageOf(owner));
    expect(page.status).toBe(200);
    expect(page.body).toContain(owner.email);
    const set = await setPassword(visitor, owner.linkToken);
    expect([set.status, set.location]).toEqual([303, "/dashboard"]);
    expect((await visitor.get("/dashboard")).body).toContain("Your password is set");

    expect((await setPassword(visitor, owner.linkToken)).status).toBe(410);
    const again = await visitor.get(pageOf(owner));
    expect(again.status).toBe(410);
    expect(again.body).toContain("queue-api owner link");
    expect((await signIn(visitorOf(service), owner)).status).toBe(303);
  });

  test("is not used up by a GET, which mail programs send", async () => {
    const owner = await invited();
    for (const method of ["GET", "GET", "HEAD"]) {
      expect((await visitorOf(service).send(method, pageOf(owner), null)).status).toBe(200);
    }
    expect((await setPassword(visitorOf(service), owner.linkToken)).status).toBe(303);
  });

  test("works for 24 hours", async () => {
    const [early, late] = [await invited(), await invited()];
    clock.advance({ hours: 23, minutes: 59, seconds: 59 });
    expect((await setPassword(visitorOf(service), early.linkToken)).status).toBe(303);
    clock.advance({ seconds: 1 });
    expect((await setPassword(visitorOf(service), late.linkToken)).status).toBe(410);
  });

  test.each(["", "?token=", "?token=nothing", "?token=a&token=b"])(
    "is invalid at /set-password%s",
    async (query) => {
      const { status } = await visitorOf(service).get(`/dashboard/set-password${query}`);
      expect(status).toBe(410);
    },
  );

  const key = "\u{1f511}";

  test.each([
    ["", "", "Choose a password of at least 12 characters; this one has 0."],
    ["only-eleven", "and-another", /this one has 11\./],
    [key.repeat(11), key.repeat(11), /this one has 11\./],
    ["x".repeat(129), "x".repeat(129), "Choose a password of at most 128 characters."],
    [password, `${password}.`, /Type the password twice\./],
    ["ß".repeat(12), "ß".repeat(12), null],
    [key.repeat(128), key.repeat(128), null],
  ])(
    "accepts 12 to 128 characters, and never shows them again (%s)",
    async (typed, again, fault) => {
      const { linkToken } = await invited();
      const { status, body } = await setPassword(visitorOf(service), linkToken, typed, again);
      expect(status).toBe(fault === null ? 303 : 422);
      if (fault === null) return;
      const message = /class="error"[^>]*>([^<]*)</.exec(body)?.[1];
      expect(message).toEqual(typeof fault === "string" ? fault : expect.stringMatching(fault));
      for (const secret of [typed, again]) if (secret !== "") expect(body).not.toContain(secret);
    },
  );

  test("ends the previous session of the browser, of any owner, and no other session", async () => {
    const clinic = await service.clinic();
    const colleague = await signedInVisitor(service, clinic);
    const bystander = await signedInVisitor(service, clinic);
    const owner = await inviteOwner(service, clinic);
    const shared = copyOf(service, colleague);
    await setPassword(shared, owner.linkToken);
    expect((await shared.get("/dashboard/account")).body).toContain(owner.email);
    expect(await isSignedIn(colleague)).toBe(false);
    expect(await isSignedIn(bystander)).toBe(true);
  });
});
