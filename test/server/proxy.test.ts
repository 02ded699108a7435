import type { Request, Response } from "express";
import { describe, expect, test } from "vitest";
import { forwardedWarning } from "../../server/src/http/request-headers.ts";
import { temporaryDatabase } from "../support/database.js";
import { expectStatus } from "../support/expect.js";
import { serve } from "../support/process.js";
import { mainKey } from "../support/seed.js";
import { testService } from "../support/service.js";

/** Whether the service uses 203.0.113.7 as the address of a client with these forwarded addresses. */
async function isTakenFor7(
  service: Awaited<ReturnType<typeof testService>>,
  ...forwarded: string[]
): Promise<boolean> {
  const clinic = await service.clinic({ keys: [{ ...mainKey, allowIps: ["203.0.113.7"] }] });
  const { status } = await clinic.client().from(forwarded.join(", ")).me();
  expect([200, 403]).toContain(status);
  return status === 200;
}

describe("TRUST_PROXY", async () => {
  const nobody = await testService({ settings: { trustProxy: [] } });
  const oneHop = await testService({ settings: { trustProxy: 1 } });
  const twoHops = await testService({ settings: { trustProxy: 2 } });
  const named = await testService({ settings: { trustProxy: ["loopback", "198.51.100.0/24"] } });

  test("not set: the service ignores X-Forwarded-For", async () => {
    expect(await isTakenFor7(nobody, "203.0.113.7")).toBe(false);
    const clinic = await nobody.clinic({ keys: [{ ...mainKey, allowIps: ["127.0.0.1"] }] });
    expectStatus(await clinic.client().me(), 200);
  });

  test("not set: a client cannot avoid the count of failed sign-ins with forged addresses", async () => {
    const left = [];
    for (let i = 0; i < 3; i++) {
      left.push((await nobody.stranger().me()).number("RateLimit-Remaining"));
    }
    expect(left).toEqual([29, 28, 27]);
  });

  test("one hop: the last address counts, and earlier ones are ignored", async () => {
    expect(await isTakenFor7(oneHop, "203.0.113.7")).toBe(true);
    expect(await isTakenFor7(oneHop, "192.0.2.1", "203.0.113.7")).toBe(true);
    expect(await isTakenFor7(oneHop, "203.0.113.7", "192.0.2.1")).toBe(false);
  });

  test("two hops: the last but one counts", async () => {
    expect(await isTakenFor7(twoHops, "203.0.113.7", "192.0.2.1")).toBe(true);
    expect(await isTakenFor7(twoHops, "192.0.2.1", "203.0.113.7")).toBe(false);
  });

  test("named proxies: the last address that is not a proxy counts", async () => {
    expect(await isTakenFor7(named, "203.0.113.7")).toBe(true);
    expect(await isTakenFor7(named, "203.0.113.7", "198.51.100.9")).toBe(true);
    expect(await isTakenFor7(named, "203.0.113.7", "192.0.2.1", "198.51.100.9")).toBe(false);
    expect(await isTakenFor7(named, "203.0.113.7:5678", "198.51.100.9:443")).toBe(true);
    expect(await isTakenFor7(named, "203.0.113.7", "[::ffff:198.51.100.9]:443")).toBe(true);
  });
});

describe("X-Forwarded-For while TRUST_PROXY is not set", () => {
  const forwarded = { headers: { "X-Forwarded-For": "203.0.113.7" } };
  const warned = /"level":40.*X-Forwarded-For is ignored because TRUST_PROXY is not set/g;

  test.each([
    ["", 1],
    ["0", 0],
    ["loopback", 0],
  ])("with TRUST_PROXY=%s causes %i warnings", async (TRUST_PROXY, times) => {
    const database = await temporaryDatabase();
    const atEnd: (() => Promise<void>)[] = [database.remove];
    const server = await serve(database.url, (end) => void atEnd.unshift(end), { TRUST_PROXY });
    await fetch(`${server.url}/v1`);
    expect(server.output()).not.toMatch(warned);
    for (let i = 0; i < 3; i++) await fetch(`${server.url}/v1`, forwarded);
    server.signal("SIGTERM");
    await server.exited;
    expect(server.output().match(warned) ?? []).toHaveLength(times);
    expect(server.output()).not.toContain("203.0.113.7");
    for (const end of atEnd) await end();
  });

  test("causes one warning per minute", () => {
    let now = 0;
    let warnings = 0;
    let passed = 0;
    const step = forwardedWarning({ warn: () => void warnings++ }, () => now);
    const headers = { "x-forwarded-for": "203.0.113.7" };
    const req = { headers, socket: {} } as unknown as Request;
    for (const [at, expected] of [
      [0, 1],
      [59_999, 1],
      [60_000, 2],
      [60_001, 2],
      [500_000, 3],
    ] as const) {
      now = at;
      step(req, {} as Response, () => void passed++);
      expect(warnings, `${at}`).toBe(expected);
    }
    expect(passed).toBe(5);
  });
});
