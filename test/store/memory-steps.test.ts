import { Session } from "node:inspector/promises";
import { expect, test } from "vitest";
import { openedStore } from "./support/adapters.js";
import { clinic, settle, token } from "./support/records.js";

/** Counts the calls of the functions of the server during some work. */
async function callsDuring(work: () => Promise<unknown>): Promise<number> {
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    await work();
    const { result } = await session.post("Profiler.takePreciseCoverage");
    const own = result.filter(({ url }) => /\/server\/src\/(store|operations|rules)\//.test(url));
    const counts = own.flatMap(({ functions }) => functions.map(({ ranges }) => ranges[0]?.count));
    return counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  } finally {
    session.disconnect();
  }
}

test("a creation in memory takes as many steps with 3,000 entries as with 30", async () => {
  const { store } = await openedStore();
  await settle(store);
  const create = (name: string) =>
    store.entries.create(clinic.id, token(name, { keyed: { key: name, fingerprint: "body" } }));
  let created = 0;
  const createUpTo = async (count: number) => {
    for (; created < count; created++) await create(`n${created}`);
  };
  /** The fewest calls of several creations: a service of an earlier test in this process can only add some. */
  const minCalls = async (name: string) => {
    const calls: number[] = [];
    for (let at = 0; at < 10; at++) calls.push(await callsDuring(() => create(`${name}${at}`)));
    return Math.min(...calls);
  };
  await createUpTo(30);
  const few = await minCalls("few");
  await createUpTo(3_000);
  const many = await minCalls("many");
  expect(few).toBeGreaterThan(100);
  expect(many).toBe(few);
  await store.close();
});
