import { appointmentStatuses, entryStatuses } from "@queue-api/contract";
import { describe, expect, test } from "vitest";
import { expectRefusal, expectStatus } from "../support/expect.js";
import { testService } from "../support/service.js";

const service = await testService();
const today = { ref: "front", name: "Front desk" };

describe("canceling", () => {
  test("a waiting entry becomes CANCELED and gets canceledAt", async () => {
    const clinic = await service.clinic();
    const created = await clinic.client().create(clinic.queue());
    const canceled = await clinic.client().cancel(created.data.id);

    expectStatus(canceled, 200);
    const { position, ...before } = created.data;
    const { canceledAt } = canceled.data;
    expect(canceled.data).toEqual({
      ...before,
      status: "CANCELED",
      canceledAt,
      predictedWaitMinutes: null,
    });
    expect(Date.parse(canceledAt ?? "")).toBeGreaterThanOrEqual(Date.parse(before.issuedAt));
    expect((await clinic.client().entry(created.data.id)).data).toEqual({
      ...canceled.data,
      position: null,
    });
    expect(position).toBe(1);
  });

  test.each(entryStatuses.filter((status) => status !== "WAITING"))(
    "an entry that is %s does not change",
    async (status) => {
      const clinic = await service.clinic({
        queues: [{ ...today, entries: [{ ref: "entry", status, minutesAgo: 30 }] }],
      });
      const before = (await clinic.client().entry(clinic.entry("entry"))).data;
      const refused = await clinic.client().cancel(clinic.entry("entry"));
      expectRefusal(refused, 409, "invalid_state");
      expect((await clinic.client().entry(clinic.entry("entry"))).data).toEqual(before);
      expect(before.status).toBe(status);
    },
  );
});

test.each([
  [["call"], "IN_SERVICE", { startedAt: expect.any(String) }],
  [
    ["call", "complete"],
    "COMPLETED",
    { startedAt: expect.any(String), completedAt: expect.any(String) },
  ],
  [["no-show"], "NO_SHOW", {}],
] as const)("an entry that the business moves (%j) becomes %s", async (moves, status, times) => {
  const clinic = await service.clinic();
  const { id } = (await clinic.client().create(clinic.queue())).data;
  for (const move of moves) await service.owner.serve(id, move);
  expect((await clinic.client().entry(id)).data).toMatchObject({
    status,
    position: null,
    predictedWaitMinutes: null,
    startedAt: null,
    completedAt: null,
    canceledAt: null,
    ...times,
  });
  const [listed] = (await clinic.client().entries(clinic.queue())).data;
  expect(listed?.status).toBe(status);
});

test.each(appointmentStatuses)(
  "the appointment state %s is returned as the business set it",
  async (status) => {
    const clinic = await service.clinic({ appointments: [{ ref: "visit", slotTime: "10:30" }] });
    await service.owner.setAppointment(clinic.appointment("visit"), status);
    const shown = (await clinic.client().appointment(clinic.appointment("visit"))).data.status;
    expect(shown).toBe(status);
  },
);

describe("queue flags", () => {
  test.each([
    ["pause", "resume", "queue_paused"],
    ["close", "open", "queue_unavailable"],
  ] as const)("a queue refuses new entries from %s until %s: %s", async (flag, back, code) => {
    const clinic = await service.clinic();
    await service.owner.setQueue(clinic.queue(), flag);
    expectRefusal(await clinic.client().create(clinic.queue()), 409, code);
    expect((await clinic.client().entries(clinic.queue())).data).toEqual([]);
    await service.owner.setQueue(clinic.queue(), back);
    const created = await clinic.client().create(clinic.queue());
    expectStatus(created, 201);
    expect(created.data.tokenNumber).toBe(1); // the refused creation used no number
  });

  test("a queue that is paused and inactive is unavailable, and its entries can be read and canceled", async () => {
    const clinic = await service.clinic();
    const { id } = (await clinic.client().create(clinic.queue())).data;
    await service.owner.setQueue(clinic.queue(), "pause");
    await service.owner.setQueue(clinic.queue(), "close");
    expectRefusal(await clinic.client().create(clinic.queue()), 409, "queue_unavailable");
    expect((await clinic.client().queue(clinic.queue())).data).toMatchObject({
      isActive: false,
      isTokenCreationPaused: true,
      counts: { waiting: 1 },
    });
    expectStatus(await clinic.client().cancel(id), 200);
  });
});
