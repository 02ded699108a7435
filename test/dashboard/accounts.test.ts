import { randomBytes } from "node:crypto";
import { removeOwner, renewPasswordLink } from "@queue-api/server";
import { describe, expect, test } from "vitest";
import { testService, withClock, withInside } from "../support/service.js";
import {
  inviteOwner,
  newOwner,
  password,
  signedInVisitor,
  signIn,
  visitorOf,
} from "./support/visitor.js";

const service = await testService();

/** Whether a visitor can open pages of the dashboard. If not, the dashboard redirects to the sign-in. */
async function isSignedIn(visitor: ReturnType<typeof visitorOf>): Promise<boolean> {
  const { status } = await visitor.get("/dashboard/account");
  expect([200, 303]).toContain(status);
  return status === 200;
}

describe("signing in", () => {
  test("opens the dashboard of the owner's business only", async () => {
    const ours = await service.clinic({ name: "Ours" });
    const theirs = await service.clinic({ name: "Theirs" });
    const visitor = await signedInVisitor(service, ours);
    const { body } = await visitor.get("/dashboard");
    expect(body).toContain("Ours");
    expect(body).not.toContain("Theirs");
    const other = await signedInVisitor(service, theirs);
    const page = await other.get("/dashboard");
    expect(page.body).toContain("Theirs");
    expect(page.body).not.toContain("Ours");
  });

  test("ignores case and surrounding spaces of the e-mail address", async () => {
    const owner = await newOwner(service, await service.clinic());
    const email = ` ${owner.email.toUpperCase()} `;
    const { status } = await signIn(visitorOf(service), { ...owner, email });
    expect(status).toBe(303);
  });

  test("accepts any Unicode composition of the password, and compares it exactly otherwise", async () => {
    const owner = await inviteOwner(service, await service.clinic());
    const composed = "caf\u00e9 am Marktplatz";
    const form = { token: owner.linkToken, password: composed, again: composed };
    await visitorOf(service).submit("/dashboard/set-password", form);
    const status = async (password: string) =>
      (await signIn(visitorOf(service), owner, { password })).status;
    expect(await status("cafe\u0301 am Marktplatz")).toBe(303);
    expect(await status("Caf\u00e9 am Marktplatz")).toBe(422);
    expect(await status("caf\u00e9 am Marktplatz ")).toBe(422);
  });

  test("responds identically to an unknown address, a wrong password and an account without a password", async () => {
    const clinic = await service.clinic();
    const known = await newOwner(service, clinic);
    const invited = await inviteOwner(service, clinic);
    const answers = [];
    for (const email of [known.email, invited.email, "nobody@clinic.example", "no address"]) {
      const fields = { email, password: "this is not the password" };
      const { status, headers, body } = await visitorOf(service).submit(
        "/dashboard/sign-in",
        fields,
      );
      const names = [...headers.keys()].filter((name) => name !== "content-length");
      answers.push({ status, names, body: body.replaceAll(email, "EMAIL") });
    }
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]?.status).toBe(422);
    expect(answers[0]?.body).toContain("The e-mail address or the password is wrong.");
  });

  test("shows the e-mail address again, and never the password", async () => {
    const fields = { email: "anna@clinic.example", password: "this is not the password" };
    const { body } = await visitorOf(service).submit("/dashboard/sign-in", fields);
    expect(body).toContain('value="anna@clinic.example"');
    expect(body).not.toContain(fields.password);
  });

  test("names the empty field", async () => {
    const visitor = visitorOf(service);
    const { status, body } = await visitor.submit("/dashboard/sign-in", { email: " " });
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
    const owner = await newOwner(service, await service.clinic());
    const visitor = visitorOf(service);
    visitor.cookies.set("queue_api_session", "A".repeat(43)); // planted
    await signIn(visitor, owner);
    const [first] = [...visitor.cookies.values()];
    expect(first).not.toBe("A".repeat(43));
    const earlier = visitorOf(service);
    earlier.cookies.set("queue_api_session", first ?? "");
    expect(await isSignedIn(earlier)).toBe(true);

    await signIn(visitor, owner);
    expect(await isSignedIn(visitor)).toBe(true);
    expect(await isSignedIn(earlier)).toBe(false);
  });
});

describe("throttling", () => {
  const wrong = { password: "this is not the password" };

  test("bars an address after ten failures in ten minutes, even with the right password", () =>
    withClock(service, async (clock) => {
      const clinic = await service.clinic();
      const owner = await newOwner(service, clinic);
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
    }));

  test("counts the addresses of one IPv6 network as one", async () => {
    const fields = { email: "nobody@a.example", ...wrong };
    const network = `2001:db8:${Math.floor(Math.random() * 0xffff).toString(16)}:1`;
    const from = (last: number) =>
      visitorOf(service, { "X-Forwarded-For": `${network}::${last}` }).submit(
        "/dashboard/sign-in",
        { ...fields, email: `nobody${last}@a.example` },
      );
    for (let n = 1; n <= 10; n++) expect((await from(n)).status).toBe(422);
    expect((await from(11)).status).toBe(429);
  });

  test("bars an e-mail address after ten failures from any addresses, whether it has an account or not", async () => {
    const owner = await newOwner(service, await service.clinic());
    const unknown = { ...owner, email: `nobody-${crypto.randomUUID()}@clinic.example` };
    for (const account of [owner, unknown]) {
      for (let n = 0; n < 10; n++) {
        expect((await signIn(visitorOf(service), account, wrong)).status).toBe(422);
      }
      expect((await signIn(visitorOf(service), account)).status).toBe(429);
    }
  });

  test("keeps the sessions of a barred owner, and accepts a new link", () =>
    withInside(service, async ({ store }) => {
      const clinic = await service.clinic();
      const owner = await newOwner(service, clinic);
      const inside = await signedInVisitor(service, clinic, owner);
      for (let n = 0; n < 10; n++) await signIn(visitorOf(service), owner, wrong);
      expect(await isSignedIn(inside)).toBe(true);

      const context = { now: service.now(), random: randomBytes };
      const { token } = await renewPasswordLink(store, owner, context);
      const visitor = visitorOf(service);
      await visitor.submit("/dashboard/set-password", { token, password, again: password });
      expect(await isSignedIn(visitor)).toBe(true);
    }));

  test("does not count successful sign-ins", async () => {
    const owner = await newOwner(service, await service.clinic());
    const visitor = visitorOf(service);
    for (let n = 0; n < 15; n++) expect((await signIn(visitor, owner)).status).toBe(303);
  });

  test("limits concurrent attempts", async () => {
    const owner = await newOwner(service, await service.clinic());
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
    expect(status).toBe(401);
    expect(headers.get("RateLimit-Remaining")).toBe("29");
  });
});

describe("a session", () => {
  test("ends 12 hours after the sign-in, even when it is in use", () =>
    withClock(service, async (clock) => {
      const visitor = await signedInVisitor(service, await service.clinic());
      for (let hour = 1; hour < 12; hour++) {
        clock.advance({ hours: 1 });
        expect(await isSignedIn(visitor)).toBe(true);
      }
      clock.advance({ minutes: 59, seconds: 59 });
      expect(await isSignedIn(visitor)).toBe(true);
      clock.advance({ seconds: 1 });
      expect(await isSignedIn(visitor)).toBe(false);
    }));

  test("shows its end in the business's time zone", () =>
    withClock(service, async (clock) => {
      const clinic = await service.clinic({ timezone: "Asia/Kolkata" });
      clock.set(Date.UTC(2027, 0, 4, 4, 30));
      const visitor = await signedInVisitor(service, clinic);
      const { body } = await visitor.get("/dashboard/account");
      expect(body).toContain("4 Jan 2027, 22:00");
    }));

  test("ends by signing out, in this browser only", async () => {
    const clinic = await service.clinic();
    const owner = await newOwner(service, clinic);
    const phone = await signedInVisitor(service, clinic, owner);
    const tablet = await signedInVisitor(service, clinic, owner);
    const copied = visitorOf(service);
    for (const [name, value] of phone.cookies) copied.cookies.set(name, value);

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

  test("ends when its owner is removed or sets another password", () =>
    withInside(service, async ({ store }) => {
      const clinic = await service.clinic();
      const [removed, renewed] = [await newOwner(service, clinic), await newOwner(service, clinic)];
      const first = await signedInVisitor(service, clinic, removed);
      const second = await signedInVisitor(service, clinic, renewed);
      await removeOwner(store, removed);
      expect(await isSignedIn(first)).toBe(false);

      const context = { now: service.now(), random: randomBytes };
      const { token } = await renewPasswordLink(store, renewed, context);
      expect(await isSignedIn(second)).toBe(true);
      const other = `${password} and more`;
      const form = { token, password: other, again: other };
      await visitorOf(service).submit("/dashboard/set-password", form);
      expect(await isSignedIn(second)).toBe(false);
      expect((await signIn(visitorOf(service), renewed)).status).toBe(422);
      expect((await signIn(visitorOf(service), renewed, { password: other })).status).toBe(303);
    }));
});

describe("the link to set a password", () => {
  const setPassword = (token: string, typed: string, again = typed) =>
    visitorOf(service).submit("/dashboard/set-password", { token, password: typed, again });

  test("sets the password once, and signs the person in", async () => {
    const owner = await inviteOwner(service, await service.clinic());
    const visitor = visitorOf(service);
    const page = await visitor.get(`/dashboard/set-password?token=${owner.linkToken}`);
    expect(page.status).toBe(200);
    expect(page.body).toContain(owner.email);
    const form = { token: owner.linkToken, password, again: password };
    const set = await visitor.submit("/dashboard/set-password", form);
    expect([set.status, set.location]).toEqual([303, "/dashboard"]);
    expect((await visitor.get("/dashboard")).body).toContain("Your password is set");

    expect((await visitor.submit("/dashboard/set-password", form)).status).toBe(410);
    const again = await visitor.get(`/dashboard/set-password?token=${owner.linkToken}`);
    expect(again.status).toBe(410);
    expect(again.body).toContain("queue-api owner link");
    expect((await signIn(visitorOf(service), owner)).status).toBe(303);
  });

  test("is not used up by a GET, which mail programs send", async () => {
    const owner = await inviteOwner(service, await service.clinic());
    const path = `/dashboard/set-password?token=${owner.linkToken}`;
    for (const method of ["GET", "GET", "HEAD"]) {
      expect((await visitorOf(service).send(method, path, null)).status).toBe(200);
    }
    expect((await setPassword(owner.linkToken, password)).status).toBe(303);
  });

  test("works for 24 hours", () =>
    withClock(service, async (clock) => {
      const clinic = await service.clinic();
      const [early, late] = [
        await inviteOwner(service, clinic),
        await inviteOwner(service, clinic),
      ];
      clock.advance({ hours: 23, minutes: 59, seconds: 59 });
      expect((await setPassword(early.linkToken, password)).status).toBe(303);
      clock.advance({ seconds: 1 });
      expect((await setPassword(late.linkToken, password)).status).toBe(410);
    }));

  test.each(["", "?token=", "?token=nothing", "?token=a&token=b"])(
    "is invalid at /set-password%s",
    async (query) => {
      const { status } = await visitorOf(service).get(`/dashboard/set-password${query}`);
      expect(status).toBe(410);
    },
  );

  test("accepts 12 to 128 characters, counted as code points, and explains an error", async () => {
    const owner = await inviteOwner(service, await service.clinic());
    const message = async (typed: string, again = typed) => {
      const { status, body } = await setPassword(owner.linkToken, typed, again);
      expect(status).toBe(422);
      return /class="error"[^>]*>([^<]*)</.exec(body)?.[1];
    };
    expect(await message("")).toBe("Choose a password of at least 12 characters; this one has 0.");
    expect(await message("\u{1f511}".repeat(11))).toBe(
      "Choose a password of at least 12 characters; this one has 11.",
    );
    expect(await message("x".repeat(129))).toBe("Choose a password of at most 128 characters.");
    expect(await message(password, `${password}.`)).toContain("Type the password twice.");
    expect((await setPassword(owner.linkToken, "\u{1f511}".repeat(128))).status).toBe(303);
  });

  test("never shows the typed password again", async () => {
    const owner = await inviteOwner(service, await service.clinic());
    const { body } = await setPassword(owner.linkToken, "only-eleven", "and-another");
    expect(body).not.toContain("only-eleven");
    expect(body).not.toContain("and-another");
  });

  test("ends the previous session of the browser, of any owner, and no other session", async () => {
    const clinic = await service.clinic();
    const colleague = await signedInVisitor(service, clinic);
    const owner = await inviteOwner(service, clinic);
    const form = { token: owner.linkToken, password, again: password };
    const shared = visitorOf(service);
    for (const [name, value] of colleague.cookies) shared.cookies.set(name, value);
    await shared.submit("/dashboard/set-password", form);
    expect((await shared.get("/dashboard/account")).body).toContain(owner.email);
    expect(await isSignedIn(colleague)).toBe(false);
    expect(await isSignedIn(await signedInVisitor(service, clinic))).toBe(true);
  });
});
