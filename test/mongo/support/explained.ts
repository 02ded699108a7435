import type { withDatabase } from "../../support/mongo.js";

type Database = Parameters<Parameters<typeof withDatabase>[1]>[0];

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
export function scans(explained: unknown): boolean {
  if (typeof explained !== "object" || explained === null) return false;
  const { stage, ...node }: PlanNode = explained;
  if (stage === "COLLSCAN" || node["Node Type"] === "Seq Scan") return true;
  if (node["Index Name"] === "_id_" && !node["Index Cond"]?.includes("object_id")) return true;
  return Object.values(explained).some(scans);
}

/** Explains a read. The servers of these tests can return a plan of PostgreSQL, one of them as text. */
export async function explained(db: Database, read: object): Promise<unknown> {
  const answer = await db.command({ explain: read, verbosity: "executionStats" });
  return answer.postgresPlan ? JSON.parse(answer.postgresPlan) : (answer.queryPlanner ?? answer);
}
