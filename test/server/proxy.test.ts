import { createLogger, readConfig } from "@queue-api/server";
import type { Request, Response } from "express";
import { describe, expect, test, vi } from "vitest";
import { forwardedWarning } from "../../server/src/http/request-headers.ts";
import { expectStatus } from "../support/expect.js";
import { mainKey } from "../support/seed.js";
import { testService } from "../support/service.js";

const proxies = ["loopback", "198.51.100.0/24"];
const services = {
  "not set": await testService({ settings: { trustProxy: [] } }),
  "one hop": await testService({ settings: { trustProxy: 1 } }),
  "two hops": await testService({ settings: { trustProxy: 2 } }),
  "named proxies": await testService({ settings: { trustProxy: proxies } }),
};

describe("TRUST_PROXY", () => {
  const notAProxy = "the last address that is not a proxy counts";

  test.each<[keyof typeof services, string, string, string, 200 | 403]>([
    ["not set", "the service ignores X-Forwarded-For", "203.0.113.7", "127.0.0.1", 200],
    ["not set", "the service ignores X-Forwarded-For", "203.0.113.7", "203.0.113.7", 403],
    ["one hop", "the last address counts", "192.0.2.1, 203.0.113.7", "203.0.113.7", 200],
    ["one hop", "earlier ones are ignored", "203.0.113.7, 192.0.2.1", "203.0.113.7", 403],
    ["two hops", "the last but one counts", "203.0.113.7, 192.0.2.1", "203.0.113.7", 200],
    ["two hops", "the last but one counts", "192.0.2.1, 203.0.113.7", "203.0.113.7", 403],
    ["named proxies", notAProxy, "203.0.113.7, 192.0.2.1, 198.51.100.9", "203.0.113.7", 403],
    ["named proxies", notAProxy, "203.0.113.7:5678, 198.51.100.9:443", "203.0.113.7", 200],
    ["named proxies", notAProxy, "203.0.113.7, [::ffff:198.51.100.9]:443", "203.0.113.7", 200],
  ])("%s: %s (%s), for a key of %s: %i", async (setting, _, forwarded, allowed, status) => {
    const clinic = await services[setting].clinic({ keys: [{ ...mainKey, allowIps: [allowed] }] });
    expectStatus(await clinic.client().from(forwarded).me(), status);
  });

  test("not set: a client cannot avoid the count of failed sign-ins with forged addresses", async () => {
    const left = [];
    for (let i = 0; i < 3; i++)
      left.push((await services["not set"].stranger().me()).number("RateLimit-Remaining"));
    expect(left).toEqual([29, 28, 27]);
  });
});

describe("X-Forwarded-For while TRUST_PROXY is not set", () => {
  test.each([
    ["", 1],
    ["0", 0],
    ["loopback", 0],
  ])("with TRUST_PROXY=%s causes %i warnings", async (TRUST_PROXY, times) => {
    const logger = createLogger({ level: "silent", pretty: false });
    const warn = vi.spyOn(logger, "warn");
    const { trustProxy } = readConfig({ TRUST_PROXY });
    const service = await testService({ settings: { trustProxy }, logger, usualStore: "memory" });
    expect(warn).not.toHaveBeenCalled();
    for (let i = 0; i < 3; i++) await service.stranger().get("/v1");
    const ignored = expect.stringContaining(
      "X-Forwarded-For is ignored because TRUST_PROXY is not",
    );
    expect(warn.mock.calls).toEqual(Array(times).fill([{ from: "127.0.0.1" }, ignored]));
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
