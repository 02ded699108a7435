import { account } from "./accounts/page.js";
import { appointments } from "./appointments/page.js";
import { audit } from "./audit/audit.js";
import { board } from "./board/page.js";
import { keys } from "./keys/page.js";
import type { Page } from "./page.js";
import { queues } from "./queues.js";
import { services } from "./services.js";
import { settings } from "./settings.js";
import { staff } from "./staff.js";
import { statistics } from "./statistics/overview.js";

/**
 * The pages that require a sign-in, in the order of the navigation. A page is a row here, and a file or a folder. `requireOwner` runs before all of them. A page gets the account by `signedIn(res)`, makes
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
