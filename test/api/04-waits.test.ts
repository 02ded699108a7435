import { describe, expect, test } from "vitest";
import type { Clinic } from "../support/clinic.js";
import type { EntrySeed } from "../support/seed.js";
import { testService } from "../support/service.js";

const service = await testService();
const { clock } = service;

const services = [
  { ref: "consult", name: "Consultation", baseTimeMinutes: 15 },
  { ref: "quick", name: "Prescription", baseTimeMinutes: 7 },
  { ref: "free", name: "Question", baseTimeMinutes: 0 },
  { ref: "open", name: "Anything", baseTimeMinutes: null },
];

function clinicWith(entries: readonly EntrySeed[]): Promise<Clinic> {
  return service.clinic({ services, queues: [{ ref: "front", name: "Front desk", entries }] });
}

/** Token, position and predicted wait of every entry, in token order. */
async function line(clinic: Clinic) {
  const { data } = await clinic.client().entries(clinic.queue());
  const entries = await Promise.all(data.map(({ id }) => clinic.client().entry(id)));
  for (const [i, entry] of entries.entries()) {
    expect(entry.data.predictedWaitMinutes).toBe(data[i]?.predictedWaitMinutes);
  }
  return entries.map(({ data }) => [data.token, data.position, data.predictedWaitMinutes]);
}

const average = async (clinic: Clinic) =>
  (await clinic.client().queue(clinic.queue())).data.averageWaitMinutes;

test("position is the rank among the waiting entries: priority first, then token order", async () => {
  const clinic = await clinicWith([
    { service: "quick" },
    { service: "quick", priority: true },
    { service: "quick", status: "NO_SHOW" },
    { service: "quick" },
    { service: "quick", priority: true },
    { service: "quick", status: "CANCELED" },
  ]);
  expect(await line(clinic)).toEqual([
    ["A1", 3, 14],
    ["A2", 1, 0],
    ["A3", null, null],
    ["A4", 4, 21],
    ["A5", 2, 7],
    ["A6", null, null],
  ]);
});

describe("predicted wait", () => {
  test("is the work of the entries ahead when none is in service", async () => {
    const clinic = await clinicWith([
      { service: "consult" },
      { service: "quick" },
      { service: "free" },
      { service: "consult" },
      { service: "quick" },
    ]);
    expect(await line(clinic)).toEqual([
      ["A1", 1, 0],
      ["A2", 2, 15],
      ["A3", 3, 22],
      ["A4", 4, 22],
      ["A5", 5, 37],
    ]);
    expect(await average(clinic)).toBe(19); // (0 + 15 + 22 + 22 + 37) / 5 = 19.2
  });

  test("is the work ahead divided by the number of entries in service, rounded up", async () => {
    const serving = { status: "IN_SERVICE", service: "consult", minutesAgo: 5 } as const;
    const clinic = await clinicWith([
      serving,
      serving,
      { service: "consult" },
      { service: "quick" },
      { service: "quick" },
    ]);
    expect(await line(clinic)).toEqual([
      ["A1", null, null],
      ["A2", null, null],
      ["A3", 1, 0],
      ["A4", 2, 8], // 15 / 2
      ["A5", 3, 11], // 22 / 2
    ]);
    expect(await average(clinic)).toBe(6); // 19 / 3 = 6.33
  });

  test("is null behind an entry whose work is unknown, and so is the average", async () => {
    const clinic = await clinicWith([
      { service: "quick" },
      { service: "open" },
      {},
      { service: "quick" },
    ]);
    expect(await line(clinic)).toEqual([
      ["A1", 1, 0],
      ["A2", 2, 7],
      ["A3", 3, null],
      ["A4", 4, null],
    ]);
    expect(await average(clinic)).toBeNull();
  });

  test("of a queue where nobody waits has no average", async () => {
    const entries = [{ status: "IN_SERVICE", service: "quick" }] as const;
    expect(await average(await clinicWith(entries))).toBeNull();
    expect(await average(await clinicWith([]))).toBeNull();
  });

  test("uses the mean of today's completed entries of the queue for unknown work", async () => {
    const clinic = await clinicWith([
      { ref: "a" },
      { ref: "b", service: "consult" },
      {},
      { service: "quick" },
      {},
      { ref: "gone" },
    ]);
    const serve = async (ref: string, minutes: number, end: "complete" | "no-show") => {
      await service.owner.serve(clinic.entry(ref), "call");
      clock.advance({ minutes });
      await service.owner.serve(clinic.entry(ref), end);
    };
    await serve("a", 10, "complete");
    await serve("b", 5, "complete");
    await serve("gone", 30, "no-show");
    expect(await line(clinic)).toEqual([
      ["A1", null, null],
      ["A2", null, null],
      ["A3", 1, 0],
      ["A4", 2, 8], // the mean of 10 and 5 is 7.5
      ["A5", 3, 15], // 7.5 + 7 = 14.5
      ["A6", null, null],
    ]);
    expect(await average(clinic)).toBe(8); // 23 / 3 = 7.67
  });
});
