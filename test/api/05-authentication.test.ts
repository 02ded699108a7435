import { type Scope, scopes } from "@queue-api/contract";
import { describe, expect, test } from "vitest";
import { businessEndpoints, call, clinicWithIds } from "../support/endpoints.js";
import { expectRefusal, expectStatus, expectWrong, twin } from "../support/expect.js";
import { mainKey } from "../support/seed.js";
import { testService } from "../support/service.js";

const service = await testService();
const { clock, store } = service;
const unknownKey = `svc_live_${"a".repeat(24)}_${"b".repeat(43)}`;

test("the Authorization header accepts a key as a bearer token; the scheme name is case-insensitive", async () => {
  const clinic = await service.clinic();
  expect(clinic.key()).toMatch(/^svc_live_[a-zA-Z0-9]{20,32}_[a-zA-Z0-9]+$/);
  for (const scheme of ["Bearer", "bearer", "BEARER"]) {
    const headers = { Authorization: `${scheme} ${clinic.key()}` };
    expectStatus(await clinic.stranger().get("/v1/me", { headers }), 200);
  }
});

describe("a key in a URL", () => {
  const places: [string, (key: string) => string, string][] = [
    ["a query parameter", (key) => `/v1/me?api_key=${key}`, "api_key"],
    ["a parameter's name", (key) => `/v1/me?${key}=1`, "query"],
    ["a path segment", (key) => `/v1/entries/${key}`, "path"],
    ["an encoded path segment", (key) => `/v1/entries/${key.replaceAll("_", "%5F")}`, "path"],
    ["an unknown path", (key) => `/v1/keys/${key}`, "path"],
    ["a public path", (key) => `/v1?key=${key}`, "key"],
    ["a probe", (key) => `/healthz?key=${key}`, "key"],
    ["a page", (key) => `/docs?key=${key}`, "key"],
  ];

  test.each(places)("is refused in %s, even if it is valid", async (_, urlOf, place) => {
    const clinic = await service.clinic();
    for (const caller of [clinic.stranger(), clinic.client()]) {
      const answer = await caller.get(urlOf(clinic.key()));
      expectWrong(answer, place);
      expect(answer.text).not.toContain(clinic.key().slice(9));
    }
  });
});

describe("every kind of key failure", () => {
  const past = "2020-01-01T00:00:00Z";

  test("returns the same 401, byte for byte except for the request id", async () => {
    const clinic = await service.clinic({
      keys: [
        mainKey,
        { ref: "revoked", name: "Revoked", revoked: true },
        { ref: "expired", name: "Expired", expiresAt: past },
      ],
    });
    const key = clinic.key();
    const last = key.at(-1) === "a" ? "b" : "a";
    const bearers: Record<string, string> = {
      unknown: `Bearer ${unknownKey}`,
      "wrong secret": `Bearer ${key.slice(0, -1)}${last}`,
      revoked: `Bearer ${clinic.key("revoked")}`,
      expired: `Bearer ${clinic.key("expired")}`,
      "too short": `Bearer ${key.slice(0, -1)}`,
      "too long": `Bearer ${key}a`,
      "of another kind": `Bearer ${key.replace("live", "test")}`,
      "no key at all": "Bearer",
      "another scheme": `Basic ${Buffer.from(`${key}:`).toString("base64")}`,
      "no scheme": key,
      "two keys": `Bearer ${key} ${key}`,
      nonsense: "\u00ff\u00fe",
      empty: "",
    };
    const missing = twin(await service.stranger().me());
    expect(missing.status).toBe(401);
    expect(missing.headers).toMatchObject({
      "www-authenticate": 'Bearer realm="queue-api"',
      "ratelimit-limit": "30",
      "ratelimit-remaining": "29",
      "ratelimit-policy": '"sign-ins";q=30;w=600',
    });
    for (const [what, Authorization] of Object.entries(bearers)) {
      const answer = await service.stranger().get("/v1/me", { headers: { Authorization } });
      expect({ what, ...twin(answer) }).toEqual({ what, ...missing });
    }
  });

  test.each(businessEndpoints)(
    "returns 401 on $method $template, which needs a key",
    async (endpoint) => {
      const clinic = await service.clinic(clinicWithIds);
      for (const key of [null, unknownKey]) {
        const answer = await call(endpoint, clinic.stranger().with(key), clinic);
        expectRefusal(answer, 401, "unauthorized");
        expect(answer.header("WWW-Authenticate")).toBe('Bearer realm="queue-api"');
      }
      expectStatus(await call(endpoint, clinic.client(), clinic), endpoint.success);
    },
  );

  test("takes precedence over every other error of a request", async () => {
    const clinic = await service.clinic();
    const caller = clinic.stranger().with(unknownKey);
    const wrong = [
      await caller.get("/v1/me?color=red"),
      await caller.get("/v1/nothing"),
      await caller.post("/v1"),
      await caller.create("?", {}),
      await caller.post(`/v1/queues/${clinic.queue()}/entries`, {
        body: "x".repeat(40_000),
        headers: { "Content-Type": "text/plain" },
      }),
    ];
    for (const answer of wrong) expectRefusal(answer, 401, "unauthorized");
  });
});

describe("keys are managed by the owner", () => {
  test.each([
    ["GET", "/v1/keys"],
    ["POST", "/v1/keys"],
    ["DELETE", "/v1/keys/aaaaaaaaaaaaaaaaaaaaaaaa"],
    ["DELETE", "/v1/me"],
    ["POST", "/v1/me/keys"],
  ])("a key cannot create, list or revoke keys: %s %s", async (method, path) => {
    const clinic = await service.clinic();
    expectRefusal(await clinic.client().send(method, path), 404, "not_found");
  });

  test("only a hash of the secret is stored", async () => {
    const clinic = await service.clinic();
    const kept = JSON.stringify(await store.keys.list(clinic.id));
    expect(kept).toContain(clinic.keyId());
    expect(kept).not.toContain(clinic.key().split("_")[3]);
  });
});

describe("revocation and expiry", () => {
  test("a revoked key is refused on its next request", async () => {
    const clinic = await service.clinic();
    expectStatus(await clinic.client().me(), 200);
    await service.owner.revokeKey(clinic.keyId());
    expectRefusal(await clinic.client().me(), 401, "unauthorized");
  });

  test("a key works until the millisecond it expires", async () => {
    const expiresAt = new Date(clock.read() + 60_000).toISOString();
    const clinic = await service.clinic({ keys: [{ ...mainKey, expiresAt }] });
    clock.advance({ milliseconds: 59_999 });
    expectStatus(await clinic.client().me(), 200);
    clock.advance({ milliseconds: 1 });
    expectRefusal(await clinic.client().me(), 401, "unauthorized");
  });
});

describe("the allowlist of a key", () => {
  const allowIps = ["203.0.113.7", "198.51.100.0/24", "2001:db8::7"];
  const withAllowlist = { keys: [{ ...mainKey, allowIps }] };

  test.each([
    ["the address itself", "203.0.113.7", 200],
    ["the last of a range", "198.51.100.255", 200],
    ["an exact IPv6 address, written out", "2001:0DB8:0000:0000:0000:0000:0000:0007", 200],
    ["an IPv4 address in IPv6", "::ffff:203.0.113.7", 200],
    ["the next address", "203.0.113.8", 403],
    ["one after a range", "198.51.101.0", 403],
    ["another IPv6 address", "2001:db8::8", 403],
    ["no address", "nonsense", 403],
  ])("%s: %s gets %i", async (_, address, status) => {
    const clinic = await service.clinic(withAllowlist);
    const answer = await clinic.client().from(address).me();
    expectStatus(answer, status);
    if (status === 403) expectRefusal(answer, 403, "ip_not_allowed");
  });

  test("a changed allowlist takes effect on the next request", async () => {
    const clinic = await service.clinic();
    const other = clinic.client().from("203.0.113.7");
    expectStatus(await clinic.client().me(), 200);
    await service.owner.changeKey(clinic.keyId(), { allowIps: ["203.0.113.7"] });
    expectRefusal(await clinic.client().me(), 403, "ip_not_allowed");
    expectStatus(await other.me(), 200);
    await service.owner.changeKey(clinic.keyId(), { allowIps: [] });
    expectStatus(await clinic.client().me(), 200);
  });

  test.each(businessEndpoints)("applies to $method $template", async (endpoint) => {
    const clinic = await service.clinic({ ...clinicWithIds, ...withAllowlist });
    expectRefusal(await call(endpoint, clinic.client(), clinic), 403, "ip_not_allowed");
    const allowed = clinic.client().from("203.0.113.7");
    expectStatus(await call(endpoint, allowed, clinic), endpoint.success);
  });
});

describe("scopes", () => {
  const onlyKey = (granted: readonly Scope[]) => ({
    ...clinicWithIds,
    keys: [{ ...mainKey, scopes: granted }],
  });
  const cases = businessEndpoints.flatMap((endpoint) =>
    scopes.map((scope) => [`${endpoint.method} ${endpoint.template}`, scope, endpoint] as const),
  );

  test.each(cases)("%s with only %s", async (_, granted, endpoint) => {
    const clinic = await service.clinic(onlyKey([granted]));
    const answer = await call(endpoint, clinic.client(), clinic);
    if (endpoint.scope === null || endpoint.scope === granted) {
      expectStatus(answer, endpoint.success);
    } else {
      expectRefusal(answer, 403, "insufficient_scope");
      expect(answer.error.required).toEqual([endpoint.scope]);
    }
  });

  test("the scope is checked before the fields of a request and its resource", async () => {
    const clinic = await service.clinic(onlyKey(["appointments:read"]));
    const client = clinic.client();
    expectRefusal(await client.queue("short"), 403, "insufficient_scope");
    expectRefusal(await client.entry("a".repeat(24)), 403, "insufficient_scope");
    expectRefusal(await client.create(clinic.queue(), {}), 403, "insufficient_scope");
  });
});

describe("failed sign-ins", () => {
  test("count per address, regardless of the key", async () => {
    const caller = service.stranger();
    const left = [];
    for (const key of [null, unknownKey, "nonsense"]) {
      left.push((await caller.with(key).me()).number("RateLimit-Remaining"));
    }
    expect(left).toEqual([29, 28, 27]);
    expect((await caller.get("/v1")).number("RateLimit-Remaining")).toBe(27);
  });

  test.each([
    ["a preflight", "OPTIONS", {}],
    ["what a page of another site asks for", "GET", { "Sec-Fetch-Site": "cross-site" }],
    ["what a page of a sister site asks for", "POST", { "Sec-Fetch-Site": "same-site" }],
  ])(
    "%s is refused and does not count: any web page could bar its visitors",
    async (_, method, headers) => {
      const caller = service.stranger();
      for (let sent = 0; sent < 40; sent++) {
        expectRefusal(await caller.send(method, "/v1/me", { headers }), 401, "unauthorized");
      }
      expect((await caller.me()).number("RateLimit-Remaining")).toBe(29);
    },
  );

  test.each([
    ["with an unknown key", "OPTIONS", { Authorization: `Bearer ${unknownKey}` }],
    ["from the service's own pages", "GET", { "Sec-Fetch-Site": "same-origin" }],
  ])("a request %s counts", async (_, method, headers) => {
    const caller = service.stranger();
    await caller.send(method, "/v1/me", { headers });
    expect((await caller.get("/v1")).number("RateLimit-Remaining")).toBe(29);
  });
});
