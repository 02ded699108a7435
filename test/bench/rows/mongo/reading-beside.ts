import type { Caller } from "../../load/load-spec.js";
import type { Row } from "../../row.js";
import type { Service, Stage } from "../../stage.js";
import { beside } from "../beside.js";
import { readingBy } from "../requests.js";
import { sameAnswer } from "../same-answer.js";

/** Each tenant reads its paths from our service and from a peer, which return the same. */
export async function readingBeside(
  stage: Stage,
  { origin, tenants }: Service,
  peer: string,
  callers: readonly Caller[],
): ReturnType<Row["sides"]> {
  for (const [at, tenant] of tenants.entries()) {
    for (const path of callers[at]?.paths ?? []) await sameAnswer(tenant, peer, path);
  }
  return beside(stage, peer, readingBy(origin, callers));
}
