import { gzipSync } from "node:zlib";
import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { hashSecret } from "../../server/src/rules/key.js";
import { gate } from "../support/gate.js";
import { held } from "../support/interposed.js";
import { testService } from "../support/service.js";
import { fieldIn } from "./support/html.js";
import {
  another,
  changePassword,
  cookieHeader,
  copyOf,
  inviteOwner,
  isSignedIn,
  newOwner,
  ownedClinic,
  ownerWithBrowsers,
  password,
  setPassword,
  signIn,
  visitorOf,
} from "./support/visitor.js";

let log = "";
const write = (line: string) => {
  log += line;
};
// Without the redaction of the service's own log, which is a second safeguard.
const service = await testService({ logger: pino({ level: "trace" }, { write }) });
const behind = await testService({ settings: { baseUrl: "https://queue.example/clinic" } });
const ofBehind = { Origin: "https://queue.example" };
const https = { "X-Forwarded-Proto": "https" };

const signedIn = async () => (await ownedClinic(service)).visitor;

const ownerOfClinic = async () => newOwner(service, await service.clinic());

/** The `Set-Cookie` header of a cookie. */
function cookieLine(lines: readonly string[], name = "queue_api_session"): string {
  const line = lines.find((line) => line.includes(`${name}=`));
  if (line === undefined) throw new Error(`no cookie ${name} was set`);
  return line;
}

test.each([
  ["over http", service, {}, false],
  ["behind a proxy with https", service, https, true],
  ["when the public URL uses https", behind, ofBehind, true],
])("%s cookies are of this host, and not for scripts or forms of other sites", async (...row) => {
  const [, on, headers, isSecure] = row;
  const prefix = isSecure ? "__Host-" : "";
  const place = isSecure ? "Path=/; HttpOnly; Secure" : "Path=/dashboard; HttpOnly";
  const { linkToken } = await inviteOwner(on, await on.clinic());
  const visitor = visitorOf(on, headers);
  const { setCookies } = await setPassword(visitor, linkToken);
  const lines = setCookies.map((line) => line.replace(/=[^;]+;/, ";").replace(/ Expires=.*?;/, ""));
  expect(lines).toEqual([
    `${prefix}queue_api_session; Max-Age=43200; ${place}; SameSite=Lax`,
    `${prefix}queue_api_browser; Max-Age=15724800; ${place}; SameSite=Strict`,
    `${prefix}queue_api_flash; Max-Age=60; ${place}; SameSite=Strict`,
  ]);
  const shown = await visitor.get("/dashboard/account");
  expect(shown.body).toContain("Your password is set");
  expect(cookieLine(shown.setCookies, "queue_api_flash")).toContain(`${prefix}queue_api_flash=;`);

  // A sign-out removes the cookie of the session by its name and path.
  const signedOut = await visitor.submit("/dashboard/sign-out");
  const removed = cookieLine(signedOut.setCookies);
  const path = isSecure ? "/" : "/dashboard";
  const past = "Expires=Thu, 01 Jan 1970 00:00:00 GMT";
  expect(removed).toContain(`${prefix}queue_api_session=; Path=${path}; ${past}`);
  expect(signedOut.status).toBe(303);
  expect(signedOut.location).toMatch(/\/dashboard\/sign-in$/);
  expect((await visitor.get("/dashboard/sign-in")).body).toContain("You are signed out.");
});

describe("the cookie of a session", () => {
  test("behind https is invalid without the prefix, because another site could have set it", async () => {
    const visitor = visitorOf(service, https);
    await signIn(visitor, await ownerOfClinic());
    expect(await isSignedIn(visitor)).toBe(true);
    const bare = visitorOf(service, https);
    bare.cookies.set("queue_api_session", visitor.cookies.get("__Host-queue_api_session") ?? "");
    expect(await isSignedIn(bare)).toBe(false);
  });

  test("is not bound to https by the header of an untrusted client", async () => {
    const direct = await testService({ settings: { trustProxy: [] } });
    const owner = await newOwner(direct, await direct.clinic());
    const { setCookies } = await signIn(visitorOf(direct, https), owner);
    expect(cookieLine(setCookies)).not.toContain("Secure");
  });

  test.each(["", "short", "A".repeat(43), "%00".repeat(20)])("is invalid as %j", async (value) => {
    const visitor = visitorOf(service);
    visitor.cookies.set("queue_api_session", value);
    expect(await isSignedIn(visitor)).toBe(false);
  });
});

describe("a change", async () => {
  const signOut = "/dashboard/sign-out";
  const { first: visitor, second } = await ownerWithBrowsers(service);

  test.each([
    ["another site", { "Sec-Fetch-Site": "cross-site" }],
    ["another host of the same site", { "Sec-Fetch-Site": "same-site" }],
    ["no page, such as a bookmark", { "Sec-Fetch-Site": "none" }],
    ["another origin", { Origin: "https://evil.example" }],
    ["another port of this host", { Origin: "http://127.0.0.1:1" }],
    ["a hidden origin", { Origin: "null" }],
    ["a program without an Origin header", { Origin: null }],
  ])("from %s is refused, even with a session and the right token", async (_, headers) => {
    const { status, body } = await visitor.submit(signOut, {}, headers);
    expect(status).toBe(403);
    expect(body).toContain("did not come from a page of the dashboard");
    expect(await isSignedIn(visitor)).toBe(true);
  });

  test.each([
    ["Sec-Fetch-Site", { "Sec-Fetch-Site": "same-origin", Origin: null }],
    ["Sec-Fetch-Site, not a hidden origin", { "Sec-Fetch-Site": "same-origin", Origin: "null" }],
    ["the Origin header, in browsers without Sec-Fetch-Site", {}],
  ])("of its own page is recognized by %s", async (_, headers) => {
    const visitor = await signedIn();
    expect((await visitor.submit(signOut, {}, headers)).status).toBe(303);
    expect(await isSignedIn(visitor)).toBe(false);
  });

  test("must come from the origin of BASE_URL if it is set", async () => {
    const fields = { email: "nobody@clinic.example", password: "whatever it is" };
    const from = (Origin: string, headers: Readonly<Record<string, string>> = {}) =>
      visitorOf(behind).submit("/dashboard/sign-in", fields, { Origin, ...headers });
    const ownPage = { "Sec-Fetch-Site": "same-origin" };
    expect((await from("https://queue.example")).status).toBe(422);
    expect((await from("https://queue.example", ownPage)).status).toBe(422);
    for (const origin of [
      "https://queue.example.evil.example",
      "http://queue.example",
      "https://queue.example:8443",
      behind.url, // the origin of the Host header
    ]) {
      const { status, body } = await from(origin, ownPage);
      expect(status, origin).toBe(403);
      expect(body).toContain("a page of the dashboard at https://queue.example,");
    }
  });

  test.each([
    ["none", ""],
    ["a wrong token", "0".repeat(64)],
    ["a token of another length", "0"],
    ["the token of another session of the same owner", second.formToken],
  ])("without the form token of its session (%s) is refused", async (_, form_token) => {
    const { status, body } = await visitor.submit(signOut, { form_token });
    expect(status).toBe(403);
    expect(body).toContain("opened in an earlier session");
    expect(await isSignedIn(visitor)).toBe(true);
  });

  test("with a value longer than 256 characters is refused, in each form and address", async () => {
    const value = "ä".repeat(257);
    for (const { status, body } of [
      await visitor.submit("/dashboard/services", { name: value }),
      await visitor.submit("/dashboard/keys", { scopes: ["queue:read", value] }),
      await visitorOf(service).submit("/dashboard/sign-in", { email: value }),
      await visitor.get(`/dashboard/board/find?${new URLSearchParams({ q: value })}`),
      await visitorOf(service).get(`/dashboard/sign-in?${new URLSearchParams({ next: value })}`),
    ]) {
      expect(status).toBe(400);
      expect(body).toContain("A field takes at most 256 characters");
    }
    const longest = { name: value.slice(1), price: "", baseTimeMinutes: "" };
    const { status, body } = await visitor.submit("/dashboard/services", longest);
    expect([status, body.includes("Name must be 1 to 120 characters")]).toEqual([422, true]);
  });

  test("without a session is refused from other sites as well", async () => {
    const stranger = visitorOf(service, { "Sec-Fetch-Site": "cross-site" });
    expect((await signIn(stranger, await ownerOfClinic())).status).toBe(403);
    expect(stranger.cookies.size).toBe(0);
    expect((await setPassword(stranger, "x")).status).toBe(403);
  });

  test.each(["PUT", "PATCH", "DELETE"])("by %s needs the same tokens", async (method) => {
    const { status } = await visitor.send(method, "/dashboard/account", null);
    expect(status).toBe(403);
  });

  test.each([
    ["longer than 32 KB", `email=${"x".repeat(33_000)}`],
    ["with more than 200 fields", "a=1&".repeat(201)],
  ])("in a form %s is refused without parsing", async (_, body) => {
    const answer = await visitorOf(service).send("POST", "/dashboard/sign-in", body);
    expect(answer.status).toBe(413);
    expect(answer.body).toContain("The form is too long. Go back and shorten it.");
  });

  test("in a compressed form is refused, which nothing would end if its client left", async () => {
    const headers = {
      Origin: service.url,
      "Content-Type": "application/x-www-form-urlencoded",
      "Content-Encoding": "gzip",
    };
    const body = gzipSync("email=anna");
    const answer = await fetch(`${service.url}/dashboard/sign-in`, {
      method: "POST",
      headers,
      body,
    });
    expect(answer.status).toBe(415);
  });
});

describe("a visitor who is not signed in", () => {
  test("is redirected to the sign-in, and back to the page", async () => {
    const visitor = visitorOf(service);
    const { status, location } = await visitor.get("/dashboard/account?from=1&to=2");
    const signInPath = "/dashboard/sign-in?next=%2Fdashboard%2Faccount%3Ffrom%3D1%26to%3D2";
    expect({ status, location }).toEqual({ status: 303, location: signInPath });
    const { body } = await visitor.get(signInPath);
    const next = "/dashboard/account?from=1&to=2";
    expect(fieldIn(body, "next")).toBe(next);
    const after = await signIn(visitor, await ownerOfClinic(), { next });
    expect(after.location).toBe(next);
    expect((await visitor.get(signInPath)).location).toBe(after.location); // signed in already
  });

  test("is led back from a download to the page that links to it", async () => {
    const headers = { Referer: `${service.url}/dashboard/audit?status=4xx` };
    for (const path of ["/audit.csv?status=4xx", "/statistics/download"]) {
      const { location } = await visitorOf(service).get(`/dashboard${path}`, headers);
      expect(location).toBe("/dashboard/sign-in?next=%2Fdashboard%2Faudit%3Fstatus%3D4xx");
    }
  });

  const toSignIn = "/dashboard/sign-in";

  test.each([
    ["a script", { "X-Requested-With": "script" }, 401, null],
    ["a fetch", { "Sec-Fetch-Dest": "empty" }, 401, null],
    ["a page", { "Sec-Fetch-Dest": "document", Accept: "text/html" }, 303, toSignIn],
    ["a page of an older browser", {}, 303, toSignIn],
  ])("gets for a request of %s (%j) %i", async (_, headers, ...expected) => {
    const { status, location } = await visitorOf(service).get("/dashboard", headers);
    expect([status, location]).toEqual(expected);
  });

  test("cannot find out which pages exist", async () => {
    const { status } = await visitorOf(service).get("/dashboard/no-such-page");
    expect(status).toBe(303);
    const visitor = await signedIn();
    expect((await visitor.get("/dashboard/no-such-page")).status).toBe(404);
  });

  test("hears at the sign-in that the session has ended elsewhere, while a form was open", async () => {
    const visitor = await signedIn();
    await copyOf(service, visitor).submit("/dashboard/sign-out");
    const headers = { Referer: `${service.url}/dashboard/account` };
    const late = await visitor.submit("/dashboard/account", {}, headers);
    const signInPath = "/dashboard/sign-in?next=%2Fdashboard%2Faccount";
    expect([late.status, late.location]).toEqual([303, signInPath]);
    expect((await visitor.get(signInPath)).body).toContain("Your session has ended.");
  });
});

describe("the redirect after a sign-in", async () => {
  const owner = await ownerOfClinic();

  test.each([
    ...["https://evil.example/dashboard", "//evil.example/dashboard", "/\\evil.example/dashboard"],
    ...["\\\\evil.example/dashboard", "/\t/evil.example/dashboard", "/v1/me", "/dashboards"],
    ...["/dashboard/../v1/me", "/dashboard/%2e%2e/v1/me", "/dashboard/..\\..\\docs"],
    ...["javascript:alert(1)//dashboard", "http:evil.example", ""],
  ])("never leaves the dashboard: %j", async (next) => {
    const visitor = visitorOf(service);
    expect((await signIn(visitor, owner, { next })).location).toBe("/dashboard");
    const shown = await visitor.get(`/dashboard/sign-in?next=${encodeURIComponent(next)}`);
    expect(shown.location).toBe("/dashboard");
  });

  test("stays on this host for any path below the dashboard", async () => {
    const next = "/dashboard//evil.example/%0d%0aX: y";
    const { location } = await signIn(visitorOf(service), owner, { next });
    expect(new URL(location ?? "", service.url).host).toBe(new URL(service.url).host);
  });
});

describe("a key and a session", () => {
  test("cannot replace each other", async () => {
    const clinic = await service.clinic();
    const withKey = visitorOf(service, { Authorization: `Bearer ${clinic.key()}` });
    expect((await withKey.get("/dashboard/account")).status).toBe(303);
    withKey.cookies.set("queue_api_session", clinic.key());
    expect((await withKey.get("/dashboard/account")).status).toBe(303);

    const owner = await newOwner(service, clinic);
    const visitor = visitorOf(service, https);
    await signIn(visitor, owner);
    expect((await visitor.get("/v1/me")).status).toBe(401);
    const [token = ""] = visitor.cookies.values();
    const asKey = await visitor.get("/v1/me", { Authorization: `Bearer ${token}` });
    expect(asKey.status).toBe(401);
  });

  test("a key in a URL of the dashboard is refused, and not shown", async () => {
    const key = (await service.clinic()).key();
    const encoded = key.replace("svc_live_", "svc%5Flive%5F");
    for (const visitor of [await signedIn(), visitorOf(service)])
      for (const path of [`?key=${key}`, `/board/people/${encoded}`, `/sign-in?next=${encoded}`]) {
        const { status, body, location } = await visitor.get(`/dashboard${path}`);
        expect([path, status, location]).toEqual([path, 400, null]);
        expect(body).not.toContain(key.split("_")[3]);
      }
  });
});

test("no token and no password is in the store, a page, a redirect or the most verbose log", async () => {
  const { store } = service;
  const clinic = await service.clinic();
  const owner = await inviteOwner(service, clinic);
  const { linkToken, email } = owner;
  const visitor = visitorOf(service);
  const session = () => visitor.cookies.get("queue_api_session") ?? "";
  const answers = [
    await visitor.get(`/dashboard/set-password?token=${linkToken}`),
    await setPassword(visitor, linkToken),
    await visitor.get("/dashboard"),
    await visitor.get("/dashboard/account?marker=1"),
  ];
  const first = session();
  for (const { body, location, headers } of answers) {
    for (const secret of [first, hashSecret(first)])
      expect(`${location}${body}`).not.toContain(secret);
    expect(headers.get("Cache-Control")).toBe("no-store");
    expect(headers.get("Referrer-Policy")).toBe("same-origin");
  }
  const dumped = JSON.stringify(await store.imports.head(clinic.id));
  expect(dumped).toContain(email);
  for (const secret of [password, linkToken, first]) expect(dumped).not.toContain(secret);
  expect(await store.sessions.get(first)).toBeNull();
  const found = await store.sessions.get(hashSecret(first));
  expect(found?.account.email).toBe(email);

  await changePassword(visitor, { current: "marker typed wrongly" });
  await changePassword(visitor);
  const second = session();
  await visitor.get("/dashboard/audit");
  await visitor.submit("/dashboard/sign-out");
  await signIn(visitor, owner, { password: another });
  const last = session();
  const browser = visitor.cookies.get("queue_api_browser") ?? "not there";
  for (let n = 0; n < 10; n++) await signIn(visitor, owner, { password: "marker password" });
  for (const said of ["a password was set", "a password was changed", "an account signed in"])
    expect(log).toContain(`"accountId":"${found?.account.id}","msg":"${said}"`);
  expect(log).toContain("sign-ins are throttled");
  expect([first, second, last].map(({ length }) => length)).toEqual([43, 43, 43]);
  const secrets = [linkToken, first, second, last, browser, visitor.formToken];
  for (const word of [...secrets, password, another, email, "marker"])
    expect(log, `the log holds ${word}`).not.toContain(word);
});

describe("many requests of one business at once", () => {
  test("are answered eight at a time, and others do not wait for them", async () => {
    const lists = gate();
    let busy = "";
    const ofBusy = { before: lists, when: (businessId: string) => businessId === busy };
    const shared = await testService({ interpose: held("keys", "list", ofBusy) });
    const { clinic, visitor } = await ownedClinic(shared);
    const { visitor: quick } = await ownedClinic(shared);
    busy = clinic.id;
    lists.close();
    const asked = Array.from({ length: 8 + 100 + 1 }, () => visitor.get("/dashboard/keys"));
    const refused = await Promise.race(asked);
    expect([refused.status, refused.headers.get("Retry-After")]).toEqual([503, "5"]);
    await lists.reached(8);
    expect((await quick.get("/dashboard/keys")).status).toBe(200);
    lists.open();
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(108);
    expect((await visitor.get("/dashboard/keys")).status).toBe(200);
  });

  test("whose clients leave before their session is known take the place of no other", async () => {
    const sessions = gate();
    const shared = await testService({ interpose: held("sessions", "get", { before: sessions }) });
    const { visitor } = await ownedClinic(shared);
    const { Cookie = "" } = cookieHeader(visitor);
    sessions.close();
    const leaving = new AbortController();
    const { signal } = leaving;
    const asked = Array.from({ length: 8 }, () =>
      fetch(`${shared.url}/dashboard/keys`, { headers: { Cookie }, signal }),
    );
    await sessions.reached(8);
    leaving.abort();
    await Promise.allSettled(asked);
    expect((await fetch(`${shared.url}/healthz`)).status).toBe(200);
    sessions.open();
    expect((await visitor.get("/dashboard/keys")).status).toBe(200);
  }, 20_000);
});
