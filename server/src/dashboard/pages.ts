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
 * The pages that require a sign-in, in the order of the navigation. A page is a folder with a `page.ts`,
 * and a row here. `requireOwner` runs before all of them. A page gets the account by `signedIn(res)`, makes
 * links by `at(res, "/path")`, and throws `PageNotFound` for a missing resource.
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
