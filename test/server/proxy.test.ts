import { describe, expect, test } from "vitest";
import { expectStatus } from "../support/expect.js";
import { mainKey } from "../support/seed.js";
import { testService } from "../support/service.js";

/** Whether a caller with these forwarded addresses is taken for 203.0.113.7. */
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

  test("left out: what a caller says of its address is not believed", async () => {
    expect(await isTakenFor7(nobody, "203.0.113.7")).toBe(false);
    const clinic = await nobody.clinic({ keys: [{ ...mainKey, allowIps: ["127.0.0.1"] }] });
    expectStatus(await clinic.client().me(), 200);
  });

  test("left out: nobody escapes the count of failed sign-ins by naming other addresses", async () => {
    const left = [];
    for (let i = 0; i < 3; i++) {
      left.push((await nobody.stranger().me()).number("RateLimit-Remaining"));
    }
    expect(left).toEqual([29, 28, 27]);
  });

  test("one hop: the last address counts, whatever the caller put before it", async () => {
    expect(await isTakenFor7(oneHop, "203.0.113.7")).toBe(true);
    expect(await isTakenFor7(oneHop, "192.0.2.1", "203.0.113.7")).toBe(true);
    expect(await isTakenFor7(oneHop, "203.0.113.7", "192.0.2.1")).toBe(false);
  });

  test("two hops: the last but one counts", async () => {
    expect(await isTakenFor7(twoHops, "203.0.113.7", "192.0.2.1")).toBe(true);
    expect(await isTakenFor7(twoHops, "192.0.2.1", "203.0.113.7")).toBe(false);
  });

  test("named proxies: the last address that is none of them counts", async () => {
    expect(await isTakenFor7(named, "203.0.113.7")).toBe(true);
    expect(await isTakenFor7(named, "203.0.113.7", "198.51.100.9")).toBe(true);
    expect(await isTakenFor7(named, "203.0.113.7", "192.0.2.1", "198.51.100.9")).toBe(false);
  });
});
