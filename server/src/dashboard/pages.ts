import { account } from "./accounts/page.js";
import { appointments } from "./appointments/page.js";
import { audit } from "./audit/page.js";
import { board } from "./board/page.js";
import { keys } from "./keys/page.js";
import type { Page } from "./page.js";
import { queues } from "./queues/page.js";
import { services } from "./services/page.js";
import { settings } from "./settings/page.js";
import { staff } from "./staff/page.js";
import { statistics } from "./statistics/page.js";

/**
 * The pages of those who are signed in, in the order in which they are listed. A page is a folder with
 * a `page.ts`, and a row here. `requireOwner` stands before all of them; a page reads who asks by
 * `signedIn(res)`, links by `at(res, "/path")`, and throws `PageNotFound` for what is not there.
 */
export const pages: readonly Page[] = [
  board,
  appointments,
  statistics,
  services,
  queues,
  keys,
  audit,
  staff,
  settings,
  account,
];
