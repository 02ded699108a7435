import type { Row } from "../row.js";
import { create } from "./create.js";
import { entry } from "./entry.js";
import { lastPage } from "./last-page.js";
import { list } from "./list.js";
import { longLine } from "./long-line.js";
import { metrics, sampledTraces, traces } from "./sight.js";

/** Every row of the table, in its order. */
export const rows: readonly Row[] = [
  entry,
  list,
  create,
  lastPage,
  longLine,
  metrics,
  traces,
  sampledTraces,
];
