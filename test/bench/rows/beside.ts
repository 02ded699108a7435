import type { LoadSpec } from "../load/load-spec.js";
import type { Row } from "../row.js";
import type { Stage } from "../stage.js";

/** The same load on our service and on a peer. */
export async function beside(stage: Stage, peer: string, load: LoadSpec): ReturnType<Row["sides"]> {
  return { ours: await stage.load(load), theirs: await stage.load({ ...load, origins: [peer] }) };
}
