import { expect, test } from "vitest";
import { openMongo } from "../../server/src/store/mongo/open-mongo.js";
import type { Adapter } from "../../server/src/store/port.js";
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
import { insertion, send } from "../adapters/support/writes.js";
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

/** Stores so many records that a plan without an index shows. `businessId` has a fifth of them. */
async function fill(adapter: Adapter): Promise<void> {
  const many = Array.from({ length: 1_500 }, (_, n) => ({
    number: n + 1,
    own: { businessId: n % 5 === 0 ? businessId : `b${n % 5}` },
    status: n % 3 === 0 ? ("WAITING" as const) : ("CANCELED" as const),
  }));
  const entries = many.map(({ number, own, status }) => entryOf(number, { ...own, status }));
  await adapter.append("entries", entries);
  const visits = many.map(({ number, own }) => appointmentOf(`visit${number}`, own));
  await adapter.append("appointments", visits);
  const rows = many.map(({ number, own }) => auditOf(`row${number}`, { ...own, at: number }));
  await adapter.append("audit", rows);
  for (const { number } of many.slice(0, 100)) {
    await send(adapter, insertion("businesses", businessOf(`business${number}`)));
    await send(adapter, insertion("windows", windowsOf(`w${number}`)));
    await send(adapter, insertion("sessions", sessionsOf(`s${number}`)));
  }
}

test("every query of the adapter uses an index", async ({ onTestFinished }) => {
  const url = mongoDatabase();
  const commands: Command[] = [];
  const onCommand = (command: Command) => commands.push(command);
  const { adapter } = await openMongo(url, { prepare: "always", onCommand });
  onTestFinished(() => adapter.close());
  await fill(adapter);
  commands.length = 0;
  await sendEveryQuery(adapter);
  const asked = commands.flatMap(asReads);
  expect(asked.length).toBeGreaterThan(50);
  await withDatabase(url, async (db) => {
    const scansFor = async (read: object) => scans(await explained(db, read));
    expect(await scansFor({ find: "entries", filter: { customerName: "nobody" } })).toBe(true);
    const scanning: unknown[] = [];
    for (const read of asked) if (await scansFor(read)) scanning.push(read);
    expect(scanning).toEqual([]);
  });
});
