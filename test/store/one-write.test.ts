import { createLogger } from "@queue-api/server";
import { describe, expect, test } from "vitest";
import { AuditTrail } from "../../server/src/http/audit-trail.js";
import { everyPart } from "../../server/src/operations/every-part.js";
import { type Store, storeOn } from "../../server/src/operations/store.js";
import { newAccountSession } from "../../server/src/rules/account-session.js";
import { StoreClock } from "../../server/src/store/clock.js";
import { StoreUnavailableError } from "../../server/src/store/errors.js";
import { memoryAdapter } from "../../server/src/store/memory/memory-adapter.js";
import type { Adapter, Write } from "../../server/src/store/port.js";
import { portOn } from "../../server/src/store/run.js";
import { noRandom, start, testClock } from "./support/adapters.js";
import { audited, auditLog } from "./support/audit.js";
import {
  account,
  appointment,
  auditRow,
  back,
  clinic,
  entry,
  front,
  id,
  kiosk,
  settle,
  today,
  token,
} from "./support/records.js";

const visit = appointment("visit", { serviceId: null });
const anna = account("anna", { passwordHash: "hash" });

/** A clinic on the memory adapter, some of whose calls are replaced. Its queues are noted as in use. */
async function clinicOver(replaced: (adapter: Adapter) => Partial<Adapter>) {
  const adapter = memoryAdapter();
  const clock = testClock();
  const on = (given: Adapter) =>
    storeOn(
      portOn(given, {
        clock: new StoreClock(clock, clock.elapsed),
        elapsed: clock.elapsed,
        random: noRandom,
      }),
    );
  const plain = on(adapter);
  await settle(plain, { appointments: [visit], entries: [entry(1), entry(2)] });
  await plain.accounts.add(clinic.id, anna);
  await plain.entries.issue(clinic.id, token("third"));
  await plain.entries.issue(clinic.id, token("fourth", { queueId: back.id }));
  return { store: on({ ...adapter, ...replaced(adapter) }), plain, clock };
}

type Change = (store: Store) => Promise<unknown>;

const checkIn: Change = ({ appointments }) => {
  const request = { id: id("come"), queueId: front.id, date: today, issuedAt: start };
  return appointments.checkIn(clinic.id, visit.id, request);
};

const changes: Readonly<Record<string, Change>> = {
  "a creation": ({ entries }) => entries.issue(clinic.id, token("new")),
  "a creation with a key": ({ entries }) =>
    entries.issue(clinic.id, token("new", { keyed: { key: "K", fingerprint: "body" } })),
  "a call": ({ entries }) => entries.callNext(clinic.id, front.id, today, start),
  "a cancellation": ({ entries }) => entries.transition(clinic.id, entry(1).id, "cancel", start),
  "a transfer": ({ entries }) => entries.transfer(clinic.id, entry(1).id, back.id),
  "a check-in": checkIn,
  "a cancellation of an appointment": ({ appointments }) =>
    appointments.change(clinic.id, visit.id, { status: "CANCELLED" }),
  "the removal of an appointment": ({ appointments }) => appointments.remove(clinic.id, visit.id),
  "a pause of a queue": ({ queues }) =>
    queues.change(clinic.id, front.id, { isTokenCreationPaused: true }),
  "an order of the queues": ({ queues }) => queues.reorder(clinic.id, [back.id, front.id]),
  "a switch of the business": ({ businesses }) =>
    businesses.change(clinic.id, { apiAccess: false }),
  "a revocation of a key": ({ keys }) => keys.change(clinic.id, kiosk.id, { revokedAt: start }),
  "the removal of an account": ({ accounts }) =>
    accounts.remove(clinic.id, anna.id, { keepOwner: false }),
  "a new password": ({ accounts }) =>
    accounts.setPassword(clinic.id, anna.id, "new", { passwordHash: "hash" }),
};

test.each(Object.entries(changes))("%s is one write with its audit row", async (_, change) => {
  const writes: Write[] = [];
  const { store } = await clinicOver((adapter) => ({
    send(write) {
      writes.push(write);
      return adapter.send(write);
    },
  }));
  await change(audited(store, auditRow("change")));
  expect(writes).toEqual([expect.objectContaining({ audit: expect.anything() })]);
  expect((await auditLog(store, clinic.id)).map(({ path }) => path)).toEqual(["/v1/change"]);
});

test("a session begins by one write", async () => {
  const writes: Write[] = [];
  const { store } = await clinicOver((adapter) => ({
    send(write) {
      writes.push(write);
      return adapter.send(write);
    },
  }));
  expect(
    await store.sessions.start(clinic.id, newAccountSession(anna, "token", start), "hash"),
  ).toBe(true);
  expect(writes).toHaveLength(1);
});

test("a check-in whose write fails leaves neither a token nor a trace in the appointment", async () => {
  const { store, plain } = await clinicOver(() => ({
    send: () => Promise.reject(new StoreUnavailableError("away")),
  }));
  await expect(checkIn(store)).rejects.toThrow("away");
  expect(await plain.appointments.get(clinic.id, visit.id)).toMatchObject({
    appointment: { status: "CONFIRMED" },
    entry: null,
  });
  expect(await plain.entries.get(clinic.id, id("come"))).toBeNull();
});

test("a queue whose first creation failed can be removed eleven minutes later", async () => {
  const added = { ...front, id: id("added") };
  const { store, plain, clock } = await clinicOver((adapter) => ({
    send: (write) =>
      write.table === "entries"
        ? Promise.reject(new StoreUnavailableError("away"))
        : adapter.send(write),
  }));
  await plain.queues.add(clinic.id, added);
  const creation = store.entries.issue(clinic.id, token("lost", { queueId: added.id }));
  await expect(creation).rejects.toThrow("away");
  clock.advance(11 * 60_000 - 1);
  expect(await plain.queues.remove(clinic.id, added.id)).toBe("in_use");
  clock.advance(1);
  expect(await plain.queues.remove(clinic.id, added.id)).toBe("removed");
});

describe("an appointment that is removed while it is checked in", () => {
  /** Runs one operation just before the write of another one in this table. */
  const during = async (table: Write["table"], first: Change, then: Change) => {
    let isDue = true;
    const { store, plain } = await clinicOver((adapter) => ({
      async send(write) {
        if (write.table === table && isDue) {
          isDue = false;
          expect(await first(plain)).toBeTruthy();
        }
        return adapter.send(write);
      },
    }));
    const outcome = await then(store);
    return { outcome, kept: await plain.appointments.get(clinic.id, visit.id) };
  };
  const removal: Change = ({ appointments }) => appointments.remove(clinic.id, visit.id);
  const checkedIn = { appointment: { status: "CHECKED_IN" }, entry: { appointmentId: visit.id } };

  test("stays with its token if the check-in ends last", async () => {
    const { outcome, kept } = await during("entries", removal, checkIn);
    expect(outcome).toMatchObject({ outcome: "issued" });
    expect(kept).toMatchObject(checkedIn);
  });

  test("stays with its token if the removal ends last, which says so", async () => {
    const { outcome, kept } = await during("appointments", checkIn, removal);
    expect(outcome).toBe("in_use");
    expect(kept).toMatchObject(checkedIn);
  });
});

test("a call of the next person reads the first of the line alone", async () => {
  const read: number[] = [];
  const { store } = await clinicOver((adapter) => ({
    async line(day, limit) {
      const found = await adapter.line(day, limit);
      read.push(found.length);
      return found;
    },
  }));
  const called = await store.entries.callNext(clinic.id, front.id, today, start);
  expect(called?.id).toBe(entry(1).id);
  expect(read).toEqual([1]);
});

test("audit rows whose answer is lost are sent again, and are in the log once", async () => {
  let lost = 3;
  /** Does what is asked, and loses the answer of the first calls. */
  const loses = async <Result>(answer: Promise<Result>): Promise<Result> => {
    const result = await answer;
    if (lost-- > 0) throw new StoreUnavailableError("the connection broke");
    return result;
  };
  const { store, plain } = await clinicOver((adapter) => ({
    append: (table, records) => loses(adapter.append(table, records)),
    send: (write) => loses(adapter.send(write)),
  }));
  const trail = new AuditTrail(store, createLogger({ level: "silent", pretty: false }), 60_000);
  const refused = (n: number) => auditRow(`${n}`, { at: start, status: 429 });
  trail.record(auditRow("a"));
  for (const n of [1, 2, 3]) trail.recordRefused(refused(n), 1);
  while (trail.pending > 0) await trail.flush();
  await trail.close();
  expect(lost).toBeLessThan(0);
  const sum = { count: 2, lastAt: start };
  const rows = [{ ...refused(3), sum }, refused(1), auditRow("a")];
  expect(await auditLog(plain, clinic.id)).toEqual(rows);
});

test("the log of a busy hour is copied in parts of at most 500 rows", async () => {
  const limits: number[] = [];
  const { store, plain } = await clinicOver((adapter) => ({
    list(table, listing) {
      limits.push(listing.limit);
      return adapter.list(table, listing);
    },
  }));
  const rows = Array.from({ length: 1_300 }, (_, n) => auditRow(`${n}`)); // all of one moment
  await plain.audit.append(rows);
  const read: unknown[] = [];
  for await (const part of everyPart((after) => store.imports.read(clinic.id, "audit", after))) {
    read.push(...part);
  }
  expect(read).toEqual(rows);
  expect(Math.max(...limits)).toBe(500);
});
