import { expect, type OnTestFinishedHandler, test } from "vitest";
import { openMongo } from "../../server/src/store/mongo/open-mongo.js";
import { sendEveryQuery } from "../adapters/support/every-query.js";
import {
  appointmentOf,
  auditOf,
  clinic as businessId,
  businessOf,
  entryOf,
  sessionsOf,
  windowsOf,
} from "../adapters/support/records.js";
import { mongoDatabase, withDatabase } from "../support/mongo.js";

type Command = Readonly<Record<string, unknown>>;

/** Returns reads with the same filters as a command, for `explain`; none if the command has no filter. */
function asReads(command: Command): Record<string, unknown>[] {
  const [name = ""] = Object.keys(command);
  const collection = command[name];
  const filters = (list: unknown) =>
    (list as { q: unknown }[]).map(({ q }) => ({ find: collection, filter: q }));
  if (name === "find") {
    const { filter, sort, limit } = command;
    const order = { ...(sort !== undefined && { sort }), ...(limit !== undefined && { limit }) };
    return [{ find: collection, filter, ...order }];
  }
  if (name === "update") return filters(command.updates);
  if (name === "delete") return filters(command.deletes);
  if (name !== "aggregate") return [];
  return [{ aggregate: collection, pipeline: command.pipeline, cursor: {} }];
}

/** Returns a read without its values. Reads that differ only in their values are the same query. */
function shape(read: unknown): unknown {
  if (Array.isArray(read)) return read.map(shape);
  if (typeof read !== "object" || read === null) return typeof read;
  return Object.fromEntries(Object.entries(read).map(([name, value]) => [name, shape(value)]));
}

/** Part of a plan: a stage of MongoDB's plan or a node of PostgreSQL's plan, at any depth. */
interface PlanNode {
  readonly stage?: string;
  readonly "Node Type"?: string;
  readonly "Index Name"?: string;
  readonly "Index Cond"?: string;
}

/**
 * Whether a plan reads a whole collection: COLLSCAN in MongoDB; Seq Scan, or a scan of the whole primary
 * key, in PostgreSQL.
 */
function scans(explained: unknown): boolean {
  if (typeof explained !== "object" || explained === null) return false;
  const { stage, ...node }: PlanNode = explained;
  if (stage === "COLLSCAN" || node["Node Type"] === "Seq Scan") return true;
  if (node["Index Name"] === "_id_" && !node["Index Cond"]?.includes("object_id")) return true;
  return Object.values(explained).some(scans);
}

/** Explains a read. The servers of these tests can return a plan of PostgreSQL, one of them as text. */
async function explained(
  db: Parameters<Parameters<typeof withDatabase>[1]>[0],
  read: object,
): Promise<unknown> {
  const answer = await db.command({ explain: read, verbosity: "executionStats" });
  return answer.postgresPlan ? JSON.parse(answer.postgresPlan) : (answer.queryPlanner ?? answer);
}

/** A database with so many records that a plan without an index shows. `businessId` has a fifth of them. */
async function filled(atEnd: (end: OnTestFinishedHandler) => void) {
  const url = mongoDatabase();
  const commands: Command[] = [];
  const onCommand = (command: Command) => commands.push(command);
  const { adapter } = await openMongo(url, { prepare: "always", onCommand });
  atEnd(() => adapter.close());
  const own = (n: number) => ({ businessId: n % 5 === 0 ? businessId : `b${n % 5}` });
  const many = Array.from({ length: 1_500 }, (_, n) => n);
  const status = (n: number) => (n % 3 === 0 ? "WAITING" : "CANCELED");
  await adapter.append(
    "entries",
    many.map((n) => entryOf(n + 1, { ...own(n), status: status(n) })),
  );
  await adapter.append(
    "appointments",
    many.map((n) => appointmentOf(`visit${n}`, own(n))),
  );
  await adapter.append(
    "audit",
    many.map((n) => auditOf(`row${n}`, { ...own(n), at: n })),
  );
  for (const n of many.slice(0, 100)) {
    for (const [table, record] of Object.entries({
      businesses: businessOf(`business${n}`),
      windows: windowsOf(`w${n}`),
      sessions: sessionsOf(`s${n}`),
    })) {
      await adapter.send({ kind: "insert", table, record, audit: null } as never);
    }
  }
  commands.length = 0;
  return { url, adapter, commands };
}

test("every query of the adapter uses an index", async ({ onTestFinished }) => {
  const { url, adapter, commands } = await filled(onTestFinished);
  await sendEveryQuery(adapter);
  const asked = new Map(
    commands.flatMap((command) =>
      asReads(command).map((read) => [JSON.stringify(shape(read)), read]),
    ),
  );
  expect(asked.size).toBeGreaterThan(50);
  await withDatabase(url, async (db) => {
    const scansFor = async (read: object) => scans(await explained(db, read));
    expect(await scansFor({ find: "entries", filter: { customerName: "nobody" } })).toBe(true);
    const scanning: unknown[] = [];
    for (const read of asked.values()) if (await scansFor(read)) scanning.push(read);
    expect(scanning).toEqual([]);
  });
});
