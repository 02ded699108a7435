import crypto, { createHash, randomBytes } from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { afterAll, describe, expect, test, vi } from "vitest";
import {
  hashSecret,
  isValidCredential,
  keyLocation,
  keyState,
  newSecret,
  readAuthorization,
  writeKey,
} from "../../server/src/rules/key.ts";
import type { ApiKey } from "../../server/src/rules/records.ts";
import { kiosk } from "../store/support/records.js";

const compared = vi.spyOn(crypto, "timingSafeEqual");
syncBuiltinESMExports();
afterAll(() => {
  compared.mockRestore();
  syncBuiltinESMExports();
});

const keyId = "a".repeat(24);
const secret = newSecret(randomBytes);
const key: ApiKey = { ...kiosk, id: keyId, secretHash: hashSecret(secret), expiresAt: 1000 };
const good = { keyId, secretHash: hashSecret(secret) };
const bad = { keyId, secretHash: hashSecret(newSecret(randomBytes)) };

describe("a key", () => {
  test("has a secret of 43 letters and digits: 256 bits", () => {
    expect(secret).toMatch(/^[a-zA-Z0-9]{43}$/);
    expect(43 * Math.log2(62)).toBeGreaterThan(256);
  });

  test("is parsed into the parts that it was written from", () => {
    expect(readAuthorization(`Bearer ${writeKey(keyId, secret)}`)).toEqual(good);
    expect(readAuthorization(`bearer   ${writeKey(keyId, secret)}  `)).toEqual(good);
  });

  test("is stored as the SHA-256 hash of its secret", () => {
    expect(key.secretHash).toBe(createHash("sha256").update(secret).digest("hex"));
    expect(JSON.stringify(key)).not.toContain(secret);
  });

  test.each([
    undefined,
    "",
    "Bearer",
    "Bearer ",
    `Basic ${writeKey(keyId, secret)}`,
    `Basic Bearer ${writeKey(keyId, secret)}`,
    writeKey(keyId, secret),
    `Bearer ${writeKey(keyId, secret)}x`,
    `Bearer ${writeKey(keyId, secret.slice(1))}`,
    `Bearer ${writeKey("short", secret)}`,
    `Bearer ${writeKey(keyId, secret)} ${writeKey(keyId, secret)}`,
    `Bearer ${writeKey(keyId, secret).replace("live", "test")}`,
  ])("is not %j", (header) => {
    expect(readAuthorization(header)).toBeNull();
  });
});

describe("a credential", () => {
  test.each([
    ["the right secret", good, key],
    ["a wrong secret", bad, key],
    ["an unknown key", good, null],
    ["a revoked key", good, { ...key, revokedAt: 5 }],
    ["an expired key", good, { ...key, expiresAt: 1 }],
  ])("is compared by its whole hash, once, in constant time: %s", (_, credentials, kept) => {
    compared.mockClear();
    isValidCredential(credentials, kept, 100);
    expect(compared.mock.calls.map(([a, b]) => [a.byteLength, b.byteLength])).toEqual([[64, 64]]);
  });

  test("cannot match the hash that stands in for an unknown key", () => {
    expect(isValidCredential({ keyId, secretHash: "0".repeat(64) }, null, 0)).toBe(false);
  });
});

describe("the state of a key", () => {
  const now = 100 * 86_400_000;
  const days = (count: number) => now + count * 86_400_000;

  test.each([
    ["active", null, "active"],
    ["active with more than two weeks left", days(14) + 1, "active"],
    ["expiring with two weeks left", days(14), "expiring"],
    ["expiring with a moment left", now + 1, "expiring"],
    ["expired at its end", now, "expired"],
  ])("is %s", (_, expiresAt, state) => {
    expect(keyState({ purpose: "owner", revokedAt: null, expiresAt }, now)).toBe(state);
    expect(keyState({ purpose: "owner", revokedAt: 1, expiresAt }, now)).toBe("revoked");
  });

  test("is never expiring for the key of a demo, which renews itself", () => {
    const key = { purpose: "demo", revokedAt: null, expiresAt: days(1) } as const;
    expect(keyState(key, now)).toBe("active");
    expect(keyState(key, days(1))).toBe("expired");
  });
});

const written = writeKey(keyId, secret);
const encoded = written.replaceAll("_", "%5F");
const twice = encoded.replaceAll("%", "%25");

test.each([
  ["/v1/me?status=WAITING&name=100%25", null],
  ["/v1/%zz?name=svc%20live", null],
  [`/v1/${keyId}?a=svc_live_&b=svc_live_abc&c=svc-live-a-b`, null],
  ["/v1/svc_live_a_b", "path"],
  [`/v1/x${written.toUpperCase()}y`, "path"],
  [`/v1/${written}`, "path"],
  [`/v1/${encoded}?key=${written}`, "path"],
  [`/v1/${twice}/me`, "path"],
  [`/v1/me?a=1&key=${written}&b=2`, "key"],
  [`/v1/me?key=${encoded}`, "key"],
  [`/v1/me?key=${twice}`, "key"],
  [`/v1/me?key=?${written}`, "key"],
  [`/v1/me?${written}`, "query"],
  [`/v1/me?${encoded}=${written}`, "query"],
])("the location of a key in the URL %s is %s", (url, location) => {
  expect(keyLocation(url)).toBe(location);
});
