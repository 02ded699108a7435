import { setImmediate } from "node:timers/promises";
import { createLogger } from "@queue-api/server";
import { expect, test } from "vitest";
import { AuditTrail } from "../../server/src/http/audit-trail.js";
import type { EntryInLine } from "../../server/src/rules/records.js";
import { StoreUnavailableError } from "../../server/src/store/errors.js";
import { memoryAdapter } from "../../server/src/store/memory/memory-adapter.js";
import type { Access, Adapter } from "../../server/src/store/port.js";
import { start, storeOnAdapter, withAccess } from "./support/adapters.js";
import { audited, auditLog } from "./support/audit.js";
import { auditRow, clinic, entry, front, id, settle, today, token } from "./support/records.js";

/**
 * A clinic on the memory adapter, some of whose calls are replaced, and some of those of its operations, and the same clinic
 * as it is.
 */
async function clinicOver(
  replaced: (adapter: Adapter) => Partial<Adapter>,
  ofOperations: (access: Access) => Partial<Access> = () => ({}),
) {
  const adapter = memoryAdapter();
  const { store: plain, clock } = storeOnAdapter(adapter);
  await settle(plain, { entries: [entry(1), entry(2)] });
  const over = withAccess({ ...adapter, ...replaced(adapter) }, ofOperations);
  return { ...storeOnAdapter(over, clock), plain };
}

const noneReplaced = () => ({});

test("a queue whose first creation failed can be removed eleven minutes later", async () => {
  const added = { ...front, id: id("added") };
  const { store, plain, clock } = await clinicOver(noneReplaced, ({ send }) => ({
    send: (write) =>
      write.table === "entries" ? Promise.reject(new StoreUnavailableError("away")) : send(write),
  }));
  await plain.queues.add(clinic.id, added);
  const creation = store.entries.create(clinic.id, token("lost", { queueId: added.id }));
  await expect(creation).rejects.toThrow("away");
  clock.advance(11 * 60_000 - 1);
  expect(await plain.queues.remove(clinic.id, added.id)).toBe("in_use");
  clock.advance(1);
  expect(await plain.queues.remove(clinic.id, added.id)).toBe("removed");
});

test("a database whose indexes are damaged fails an operation, which does not run for ever", async () => {
  let reads = 0;
  const isDamaged = () => reads++ < 1_000;
  const { store, plain } = await clinicOver(noneReplaced, ({ line, find }) => ({
    line: async (day) => (isDamaged() ? [entry(1)] : line(day)), // who was called
    find: (table, key) =>
      find(table, "keyed.key" in key && isDamaged() ? { id: entry(1).id } : key), // who has no key
  }));
  await plain.entries.transition(clinic.id, entry(1).id, "call", start);
  await expect(store.entries.callNext(clinic.id, front.id, today, start)).rejects.toThrow();
  const keyed = { key: "key-0001", fingerprint: "body" };
  await expect(store.entries.create(clinic.id, token("new", { keyed }))).rejects.toThrow();
});

test("a database is closed after what the housekeeper does in it", async () => {
  const order: string[] = [];
  const { store, clock } = await clinicOver(() => ({
    maintain: async () => void order.push(await setImmediate("kept")),
    async removeExpired(table) {
      order.push(await setImmediate(table));
      return 0;
    },
    close: async () => void order.push("closed"),
  }));
  clock.advance(600_000); // until it is trusted to remove anything
  await Promise.all([store.maintenance.removeExpired(), store.close()]);
  expect(order).toEqual(["kept", "audit", "entries", "windows", "sessions", "closed"]);
});

test("an audit row is stored once, with the first change of its request", async () => {
  const { store, plain } = await clinicOver(noneReplaced);
  const request = audited(store, auditRow("1"));
  await request.queues.change(clinic.id, front.id, { name: "New" });
  await request.entries.transition(clinic.id, entry(1).id, "cancel", start);
  expect(await auditLog(plain, clinic.id)).toHaveLength(1);
});

test("who gets priority between two reads of a view counts once", async () => {
  const [first, second] = [entry(1), entry(2)];
  const { store, plain } = await clinicOver((adapter) => ({
    async count(...asked) {
      const last = await plain.entries.get(clinic.id, second.id);
      if (!last?.entry.priority) {
        await plain.entries.transition(clinic.id, second.id, "priority", start);
      }
      return adapter.count(...asked);
    },
  }));
  const placeOf = (read: EntryInLine | null) => read?.line?.ahead.people;
  expect(placeOf(await store.entries.get(clinic.id, second.id))).toBe(1);
  await plain.entries.transition(clinic.id, second.id, "no-priority", start);
  const request = { limit: 9, after: null };
  const page = await store.entries.page(clinic.id, front.id, today, request);
  if (typeof page === "string") throw new Error(page);
  expect(page.items.map(placeOf)).toEqual([0, 1]);
  expect(placeOf(await store.entries.get(clinic.id, first.id))).toBe(1);
});

test("audit rows whose answer is lost are sent again, and are in the log once", async () => {
  let lost = 3;
  /** Does what is asked, and loses the answer of the first calls. */
  const loses = async <Result>(answer: Promise<Result>): Promise<Result> => {
    const result = await answer;
    if (lost-- > 0) throw new StoreUnavailableError("the connection broke");
    return result;
  };
  const { store, plain } = await clinicOver(
    ({ append }) => ({ append: (table, records) => loses(append(table, records)) }),
    ({ send }) => ({ send: (write) => loses(send(write)) }),
  );
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
