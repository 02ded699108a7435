import { clinic, waiting } from "../clinic.js";
import type { Row } from "../row.js";
import type { ServiceOptions, Stage } from "../stage.js";
import { creating } from "./requests.js";

/** The number of creations after which they are canceled outside the measured time, so that the short line stays short. */
const cancelEvery = 128;

export const longLine = longLineRow({
  name: "long-line",
  measured: "create with 10,000 people waiting",
  goal: 0.67,
});

/** A row about the same lines in a database; by default a new file. */
export function longLineRow({
  newDatabase,
  ...row
}: Pick<Row, "name" | "measured" | "goal"> & { newDatabase?: (stage: Stage) => string }): Row {
  return {
    ...row,
    against: "with 10 waiting",
    sides: (stage) => sides(stage, newDatabase && { databaseUrl: newDatabase(stage) }),
  };
}

async function sides(stage: Stage, options: ServiceOptions = {}): ReturnType<Row["sides"]> {
  const lines = clinic({ long: waiting(10_000), short: waiting(10) });
  const service = await stage.service(lines, options);
  const { long = "", short = "" } = service.queues;
  return {
    ours: await stage.load({ ...creating(service, long), cancelEvery }),
    theirs: await stage.load({ ...creating(service, short), cancelEvery }),
  };
}
