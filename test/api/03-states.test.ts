import { appointmentStatuses, type EntryStatus, entryStatuses } from "@queue-api/contract";
import { describe, expect, test } from "vitest";
import { expectRefusal, expectStatus } from "../support/expect.js";
import { testService } from "../support/service.js";

const service = await testService();
const today = { ref: "front", name: "Front desk" };

describe("a new entry", () => {
  test("is WAITING, with a token and a position", async () => {
    const clinic = await service.clinic();
    const created = await clinic.client().create(clinic.queue());
    expectStatus(created, 201);
    expect(created.data).toMatchObject({ status: "WAITING", token: "A1", position: 1 });
  });
});

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

  test("a second cancellation is refused, and canceledAt does not change", async () => {
    const clinic = await service.clinic();
    const { id } = (await clinic.client().create(clinic.queue())).data;
    const first = await clinic.client().cancel(id);
    expectRefusal(await clinic.client().cancel(id), 409, "invalid_state");
    expect((await clinic.client().entry(id)).data.canceledAt).toBe(first.data.canceledAt);
  });

  test("needs the scope queue:write", async () => {
    const clinic = await service.clinic({
      keys: [
        { ref: "main", name: "Writer", scopes: ["queue:write"] },
        { ref: "reader", name: "Reader", scopes: ["queue:read", "appointments:read"] },
      ],
    });
    const { id } = (await clinic.client().create(clinic.queue())).data;
    const refused = await clinic.client("reader").cancel(id);
    expectRefusal(refused, 403, "insufficient_scope");
    expect((await clinic.client("reader").entry(id)).data.status).toBe("WAITING");
    expectStatus(await clinic.client().cancel(id), 200);
  });

  test("of 20 concurrent cancellations one succeeds", async () => {
    const clinic = await service.clinic();
    const { id } = (await clinic.client().create(clinic.queue())).data;
    const answers = await Promise.all(Array.from({ length: 20 }, () => clinic.client().cancel(id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)]);
  });
});

describe("moves by the business", () => {
  async function moved(...moves: ("call" | "complete" | "no-show")[]) {
    const clinic = await service.clinic();
    const { id } = (await clinic.client().create(clinic.queue())).data;
    for (const move of moves) await service.owner.serve(id, move);
    return (await clinic.client().entry(id)).data;
  }

  test("call: IN_SERVICE, with startedAt and without a position", async () => {
    expect(await moved("call")).toMatchObject({
      status: "IN_SERVICE",
      startedAt: expect.any(String),
      completedAt: null,
      canceledAt: null,
      position: null,
      predictedWaitMinutes: null,
    });
  });

  test("complete: COMPLETED, with startedAt and completedAt", async () => {
    expect(await moved("call", "complete")).toMatchObject({
      status: "COMPLETED",
      startedAt: expect.any(String),
      completedAt: expect.any(String),
      canceledAt: null,
      position: null,
    });
  });

  test("no-show: NO_SHOW", async () => {
    expect(await moved("no-show")).toMatchObject({
      status: "NO_SHOW",
      startedAt: null,
      completedAt: null,
      canceledAt: null,
      position: null,
    });
  });

  const allowed: Record<string, EntryStatus> = {
    "WAITING call": "IN_SERVICE",
    "WAITING no-show": "NO_SHOW",
    "IN_SERVICE complete": "COMPLETED",
    "IN_SERVICE no-show": "NO_SHOW", // docs/decisions/line.md: no-show after a call
  };
  const moves = ["call", "complete", "no-show"] as const;
  const every = entryStatuses.flatMap((status) => moves.map((move) => [status, move] as const));

  test.each(every)("from %s: %s", async (status, move) => {
    const clinic = await service.clinic({
      queues: [{ ...today, entries: [{ ref: "entry", status, minutesAgo: 30 }] }],
    });
    const next = allowed[`${status} ${move}`];
    const attempt = service.owner.serve(clinic.entry("entry"), move);
    if (next) await attempt;
    else await expect(attempt).rejects.toThrow(/only one that is/);
    const after = (await clinic.client().entry(clinic.entry("entry"))).data.status;
    expect(after).toBe(next ?? status);
  });
});

describe("appointment states", () => {
  test.each(appointmentStatuses)("%s is returned as the business set it", async (status) => {
    const clinic = await service.clinic({ appointments: [{ ref: "visit", slotTime: "10:30" }] });
    await service.owner.setAppointment(clinic.appointment("visit"), status);
    const shown = (await clinic.client().appointment(clinic.appointment("visit"))).data.status;
    expect(shown).toBe(status);
  });
});

describe("queue flags", () => {
  test("a paused queue refuses new entries until the business resumes it", async () => {
    const clinic = await service.clinic();
    await service.owner.setQueue(clinic.queue(), "pause");
    expectRefusal(await clinic.client().create(clinic.queue()), 409, "queue_paused");
    await service.owner.setQueue(clinic.queue(), "resume");
    expectStatus(await clinic.client().create(clinic.queue()), 201);
  });

  test("an inactive queue refuses new entries until the business opens it", async () => {
    const clinic = await service.clinic();
    await service.owner.setQueue(clinic.queue(), "close");
    expectRefusal(await clinic.client().create(clinic.queue()), 409, "queue_unavailable");
    await service.owner.setQueue(clinic.queue(), "open");
    expectStatus(await clinic.client().create(clinic.queue()), 201);
  });

  test("an inactive queue that is paused returns queue_unavailable", async () => {
    const clinic = await service.clinic({
      queues: [{ ...today, isActive: false, isTokenCreationPaused: true }],
    });
    expectRefusal(await clinic.client().create(clinic.queue()), 409, "queue_unavailable");
  });

  test("entries of a paused or inactive queue can be read and canceled", async () => {
    const clinic = await service.clinic();
    const { id } = (await clinic.client().create(clinic.queue())).data;
    await service.owner.setQueue(clinic.queue(), "pause");
    await service.owner.setQueue(clinic.queue(), "close");
    expect((await clinic.client().queue(clinic.queue())).data).toMatchObject({
      isActive: false,
      isTokenCreationPaused: true,
      counts: { waiting: 1 },
    });
    expectStatus(await clinic.client().cancel(id), 200);
  });

  test("a refused creation stores no entry and uses no token number", async () => {
    const clinic = await service.clinic();
    await service.owner.setQueue(clinic.queue(), "pause");
    await clinic.client().create(clinic.queue());
    expect((await clinic.client().entries(clinic.queue())).data).toEqual([]);
    await service.owner.setQueue(clinic.queue(), "resume");
    expect((await clinic.client().create(clinic.queue())).data.tokenNumber).toBe(1);
  });
});
