import { expect, test } from "vitest";
import { wholeLog } from "../../server/src/rules/audit.js";
import { newOwnerSession } from "../../server/src/rules/owner-session.js";
import { everyPart } from "../../server/src/store/port/page.js";
import type { Store } from "../../server/src/store/store.js";
import {
  appointment,
  attempt,
  auditRow,
  back,
  clinic,
  consult,
  entry,
  failedAttempt,
  front,
  id,
  invited,
  kiosk,
  owner,
  salon,
  today,
  token,
} from "../store/support/records.js";
import { withDatabase } from "../support/mongo.js";
import { operationsOf } from "../support/operations.js";
import { explained, scans } from "./support/explained.js";
import { type Command, nameOf, startWatched } from "./support/watched.js";

/** Returns reads with the same filters as a command, for `explain`; none if the command has no filter. */
function asReads(command: Command): Record<string, unknown>[] {
  const [name = ""] = Object.keys(command);
  const collection = command[name];
  const filters = (list: unknown) =>
    (list as { q: unknown }[]).map(({ q }) => ({ find: collection, filter: q }));
  if (name === "find") {
    const { filter, sort, limit } = command;
    return [{ find: collection, filter, ...(sort !== undefined && { sort, limit }) }];
  }
  if (name === "update") return filters(command.updates);
  if (name === "delete") return filters(command.deletes);
  if (name !== "aggregate") return [];
  // A lookup is explained as a read of its own, because the engine of the tests ends at one in a pipeline.
  const stages = command.pipeline as { readonly $lookup?: Lookup }[];
  const pipeline = stages.filter(({ $lookup }) => $lookup === undefined);
  const joined = stages.flatMap(({ $lookup }) =>
    $lookup ? [{ find: $lookup.from, filter: { [$lookup.foreignField]: "some value" } }] : [],
  );
  return [{ aggregate: collection, pipeline, cursor: {} }, ...joined];
}

interface Lookup {
  readonly from: string;
  readonly foreignField: string;
}

/**
 * Whether a read wants a whole collection: all businesses, the imports, which are few, or for a command the
 * business of a queue.
 */
function wantsAll({ find, filter = {} }: Record<string, unknown>): boolean {
  const [field = "queues.id"] = Object.keys(filter as object);
  return find === "imports" || (find === "businesses" && field === "queues.id");
}

/** Operations that send no command. */
const withoutPlan = ["close"];

test("every query of the store uses an index", async ({ onTestFinished }) => {
  const entries = Array.from({ length: 1_500 }, (_, n) =>
    entry(n + 1, n % 3 === 0 ? {} : { status: "CANCELED", canceledAt: 1 }),
  );
  const watched = await startWatched(onTestFinished, {
    entries,
    appointments: [appointment("visit"), appointment("later", { slotTime: "11:00" })],
  });
  const { url, store, commands, operations } = watched;
  await withDatabase(url, async (db) => {
    const many = (fields: (n: number) => object) =>
      Array.from({ length: 2_000 }, (_, n) => ({
        ...{ _id: `other${n}` as never, businessId: `business${n % 50}` },
        ...fields(n),
      }));
    for (const name of ["audit", "windows", "appointments"]) {
      await db
        .collection(name)
        .insertMany(many((n) => ({ at: Date.now(), endsAt: 1e15, date: `${n}` })));
    }
    const sessions = (n: number) => [{ tokenHash: `session${n}`, expiresAt: 1e15 }];
    await db
      .collection("owners")
      .insertMany(
        many((n) => ({ link: { tokenHash: `l${n}`, expiresAt: 1e15 }, sessions: sessions(n) })),
      );
    await db.collection("businesses").insertMany(
      many((n) => ({
        ...{ id: `business${n}`, displayHash: `d${n}`, keys: [{ id: `key${n}` }] },
        ...{ queues: [{ id: `queue${n}` }], accounts: [{ email: `e${n}` }] },
      })),
    );
  });
  await useEntries(store);
  await useOwners(store);
  await useTheRest(store);
  const notCalled = operationsOf(store).filter((name) => !operations.has(name));
  expect(notCalled.toSorted()).toEqual(withoutPlan);

  const asked = new Map(
    commands.flatMap((command) =>
      asReads(command).map((read) => [JSON.stringify([nameOf(command), shape(read)]), read]),
    ),
  );
  expect(asked.size).toBeGreaterThan(40);
  const scanning: unknown[] = [];
  await withDatabase(url, async (db) => {
    const scansFor = async (read: object) => scans(await explained(db, read));
    expect(await scansFor({ find: "entries", filter: { customerName: "nobody" } })).toBe(true);
    for (const read of asked.values()) {
      if (!wantsAll(read) && (await scansFor(read))) scanning.push(read);
    }
  });
  expect(scanning).toEqual([]);
});

const ago = { limit: 1, after: null };

async function useEntries({ entries, queues, boards, statistics }: Store): Promise<void> {
  const keyed = { key: "key", fingerprint: "body" };
  const issue = (name: string) =>
    entries.issue(clinic.id, token(name, { keyed, audit: auditRow(name) }));
  await issue("new");
  await issue("again");
  await entries.issue(clinic.id, token("paused", { queueId: "none", keyed }));
  await entries.replayOf(clinic.id, keyed);
  await entries.get(clinic.id, id("new"));
  await entries.page(clinic.id, front.id, today, null, { limit: 1, after: entry(1).id });
  await entries.page(clinic.id, front.id, today, "WAITING", ago);
  await entries.byIds(clinic.id, [entry(4).id]);
  await entries.move(clinic.id, entry(4).id, "priority", 1);
  await entries.move(clinic.id, entry(1).id, "next", 1);
  await entries.callNext(clinic.id, front.id, today, 1);
  await entries.transfer(clinic.id, id("new"), back.id);
  await entries.move(clinic.id, id("new"), "undo", 1);
  await entries.issue(clinic.id, token("after", { queueId: back.id }));
  const { customerName, customerPhone, phoneIsInternational } = entry(1);
  const corrected = { customerName, customerPhone, phoneIsInternational };
  await entries.correct(clinic.id, id("new"), { ...corrected, serviceId: null, workMinutes: 1 });
  await queues.day(clinic.id, front.id, today);
  await boards.version(clinic.id, today);
  await boards.get(clinic.id, today, { limit: 2, part: { queueId: front.id, from: 2, limit: 2 } });
  const days = { first: "2026-01-01", last: "2026-12-31" };
  for (const queue of [null, front.id]) {
    const parts = everyPart((after) => statistics.entryTimes(clinic.id, days, queue, after));
    for await (const _ of parts);
  }
}

async function useOwners({ accounts, sessions, signIns, now }: Store): Promise<void> {
  const anna = owner("anna");
  const later = (await now()) + 86_400_000;
  const signIn = { subject: "203.0.113.7", email: anna.email, browser: null };
  await accounts.add(clinic.id, invited(anna, later, "link"));
  await accounts.replacePasswordLink(clinic.id, anna.id, invited(anna, later, "link").link);
  await accounts.byPasswordLink("link");
  await accounts.setPassword(clinic.id, anna.id, "hash", { linkTokenHash: "link" });
  await accounts.setPassword(clinic.id, anna.id, "other", { passwordHash: "hash" });
  await accounts.byEmail(anna.email);
  await signIns.admit(signIn);
  await signIns.forgive(signIn, later);
  await sessions.start(clinic.id, newOwnerSession(anna, "session", later), "other");
  await sessions.get("session");
  await sessions.end("session");
  await sessions.endAll(clinic.id, anna.id);
  await accounts.list(clinic.id);
  await accounts.remove(clinic.id, anna.id, { keepOwner: true });
  await accounts.remove(clinic.id, anna.id, { keepOwner: false });
}

async function useTheRest(store: Store): Promise<void> {
  const { admission, audit, businesses, keys, queues, services, appointments, imports } = store;
  await admission.admit(attempt());
  await admission.admit(attempt());
  await admission.admit(failedAttempt());
  await admission.signInWindow("203.0.113.7");
  const sum = { count: 1, lastAt: 1 };
  await audit.append([auditRow("1"), auditRow("2", { sum }), auditRow("3", { sum })]);
  const page = await audit.page(clinic.id, wholeLog, ago);
  if (page === "cursor_unknown") throw new Error("there was no cursor");
  await audit.page(clinic.id, { ...wholeLog, keyId: kiosk.id }, { limit: 1, after: page.next });
  await keys.list(clinic.id);
  await keys.add(clinic.id, { ...kiosk, id: id("another") });
  await keys.change(clinic.id, kiosk.id, { name: "Renamed" });
  await keys.change(clinic.id, id("another"), { revokedAt: 1 });
  await queues.list(clinic.id);
  await queues.add(clinic.id, { ...front, id: id("desk") });
  await queues.change(clinic.id, front.id, { name: "Renamed" });
  await queues.reorder(clinic.id, [back.id]);
  await queues.remove(clinic.id, id("desk"));
  await services.list(clinic.id);
  await services.add(clinic.id, { ...consult, id: id("other") });
  await services.change(clinic.id, id("other"), { name: "Renamed" });
  await services.remove(clinic.id, id("other"));
  await appointments.get(clinic.id, appointment("visit").id);
  await appointments.add(clinic.id, appointment("new"));
  await appointments.page(clinic.id, today, { limit: 1, after: appointment("visit").id });
  await appointments.change(clinic.id, appointment("new").id, { slotTime: "12:00" });
  await appointments.remove(clinic.id, appointment("new").id);
  for (const kind of ["entries", "appointments", "audit"] as const) {
    for await (const _ of everyPart((after) => imports.read(clinic.id, kind, after)));
  }
  const head = await imports.head(salon.id);
  if (!head) throw new Error("the salon exists");
  const business = { ...head.business, id: id("reborn") };
  await imports.begin(business.id);
  await imports.add(business.id, "audit", [auditRow("5", { businessId: business.id })], 0);
  await imports.commit({ ...head, business, keys: [] }, { replace: true });
  await imports.markCopying(true);
  await imports.isCopying();
  await imports.markCopying(false);
  await businesses.list();
  await businesses.find("id", clinic.id);
  await businesses.find("slug", clinic.slug);
  await businesses.find("displayHash", "hash");
  for (const kind of ["key", "queue", "entry", "appointment"] as const) {
    await businesses.find(kind, "nothing");
  }
  await businesses.change(clinic.id, { sandbox: true });
  await store.monitoring.linesByDay([today]);
  await store.maintenance.prune();
  await store.ping();
}

/** Returns a read without its values. Reads that differ only in their values are the same query. */
function shape(read: unknown): unknown {
  if (Array.isArray(read)) return read.map(shape);
  if (typeof read !== "object" || read === null) return typeof read;
  return Object.fromEntries(Object.entries(read).map(([name, value]) => [name, shape(value)]));
}
