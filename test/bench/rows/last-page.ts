import { pages } from "../api.js";
import { clinic, usualDay } from "../clinic.js";
import type { Row } from "../row.js";
import type { ServiceOptions, Stage } from "../stage.js";
import { reading } from "./requests.js";

const pageSize = 50;

export const lastPage = lastPageRow({
  name: "last-page",
  measured: "last page of a day of 100,000 entries",
  goal: 0.85,
});

/** A row about the same day in a database; by default a new file. */
export function lastPageRow({
  newDatabase,
  ...row
}: Pick<Row, "name" | "measured" | "goal"> & { newDatabase?: (stage: Stage) => string }): Row {
  return {
    ...row,
    against: "its first page",
    sides: (stage) => sides(stage, newDatabase && { databaseUrl: newDatabase(stage) }),
  };
}

async function sides(stage: Stage, options: ServiceOptions = {}): ReturnType<Row["sides"]> {
  const service = await stage.service(clinic({ front: usualDay(100_000) }), options);
  const paths: string[] = [];
  for await (const page of pages(service, service.queues.front ?? "", pageSize)) {
    if (page.data.length !== pageSize) throw new Error(`${page.path} is not a full page`);
    paths.push(page.path);
  }
  return {
    ours: await stage.load(reading(service, paths.slice(-1))),
    theirs: await stage.load(reading(service, paths.slice(0, 1))),
  };
}
