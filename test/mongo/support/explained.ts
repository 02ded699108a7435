import type { withDatabase } from "../../support/mongo.js";

type Database = Parameters<Parameters<typeof withDatabase>[1]>[0];

/** Part of a plan: MongoDB's stages, or the nodes of PostgreSQL's plan, wherever the engine puts them. */
interface PlanNode {
  readonly stage?: string;
  readonly "Node Type"?: string;
  readonly "Index Name"?: string;
  readonly "Index Cond"?: string;
  readonly "Actual Rows"?: number;
  readonly totalDocsExamined?: number;
}

/**
 * Whether a plan reads a whole collection. MongoDB says COLLSCAN, PostgreSQL says Seq Scan, or that it
 * reads all of the primary key to look at each document.
 */
export function scans(explained: unknown): boolean {
  if (typeof explained !== "object" || explained === null) return false;
  const { stage, ...node }: PlanNode = explained;
  if (stage === "COLLSCAN" || node["Node Type"] === "Seq Scan") return true;
  if (node["Index Name"] === "_id_" && !node["Index Cond"]?.includes("object_id")) return true;
  return Object.values(explained).some(scans);
}

/** How many documents a plan has read: MongoDB adds them up, PostgreSQL gives the rows of each node. */
export function examined(explained: unknown): number {
  if (typeof explained !== "object" || explained === null) return 0;
  const { totalDocsExamined = 0, "Actual Rows": rows = 0 }: PlanNode = explained;
  return Math.max(totalDocsExamined, rows, ...Object.values(explained).map(examined));
}

/** What an engine says of a read; the servers of these tests have PostgreSQL's plan in it, one of them as text. */
export async function explained(db: Database, read: object): Promise<unknown> {
  const answer = await db.command({ explain: read, verbosity: "executionStats" });
  return answer.postgresPlan ? JSON.parse(answer.postgresPlan) : (answer.queryPlanner ?? answer);
}
