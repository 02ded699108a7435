import type { Row } from "../row.js";
import { longLine } from "./long-line.js";
import { foreignAddress, ignoredRefusals } from "./refused-requests.js";
import { slowRequests } from "./slow-requests.js";
import { unknownPaths } from "./unknown-paths.js";
import { slowlyReadAnswers, unreadAnswers } from "./unread-answers.js";

/** Every row of the table, in its order. */
export const rows: readonly Row[] = [
  unreadAnswers,
  slowlyReadAnswers,
  unknownPaths,
  slowRequests,
  ignoredRefusals,
  foreignAddress,
  longLine,
];
