import express, { type RequestHandler, Router } from "express";
import type { Logger } from "pino";
import type { Passwords } from "../owner/password.js";
import type { Random } from "../rules/ports.js";
import type { Store } from "../store/store.js";
import { auditChanges } from "./accounts/audit-changes.js";
import { changeLimit } from "./accounts/change-limit.js";
import { changePassword } from "./accounts/change-password.js";
import { requireOwner } from "./accounts/require-owner.js";
import { addAccountRoutes, noKeyInUrl } from "./accounts/routes.js";
import { ownPagesOnly } from "./accounts/same-origin.js";
import { SessionWatch } from "./accounts/session-watch.js";
import { signOut } from "./accounts/sign-out.js";
import { serveAsset } from "./assets.js";
import { LiveBoards } from "./board/board-watch.js";
import { OpenStreams } from "./board/open-streams.js";
import { businessShare } from "./business-share.js";
import { Displays } from "./display/display.js";
import { errorPages, noSuchPage } from "./errors.js";
import { pageHeaders } from "./headers.js";
import { pageSender } from "./layout.js";
import { boundedValues } from "./longest-value.js";
import { answering } from "./page.js";
import { pages } from "./pages.js";
import { noteRoot } from "./root.js";
import { Reports } from "./statistics/reports.js";
import { processTime } from "./time.js";

/** The options of the dashboard. */
export interface DashboardOptions {
  readonly store: Store;
  readonly random: Random;
  readonly logger: Logger;
  readonly passwords: Passwords;
  /** URL of the service as browsers know it, without a trailing slash. */
  readonly baseUrl: () => string;
  /** `BASE_URL`, or null if it is not set. */
  readonly publicUrl: string | null;
}

/** The pages under `/dashboard`. */
export interface Dashboard {
  /** Mount it at `/dashboard`. Answers all requests below it, including unknown paths and errors. */
  readonly handler: RequestHandler;
  /** Ends the open responses. Call it when the service begins to stop. */
  beginStop(): void;
}

/** Builds the pipeline from a request to a page, in order. */
export function buildDashboard(options: DashboardOptions): Dashboard {
  const { store, random, logger, passwords, baseUrl } = options;
  const stop = new AbortController();
  const send = pageSender(pages, store);
  const time = processTime;
  const sessions = new SessionWatch({ store, logger, time });
  const stopping = stop.signal;
  const deps = { store, random, logger, baseUrl, send, stopping, sessions, time };
  const accounts = { ...deps, passwords };
  const router = Router({ caseSensitive: true, strict: true });

  router.use(noteRoot(baseUrl), pageHeaders(stop.signal));
  router.get("/assets/:file", serveAsset);
  router.use(noKeyInUrl, ownPagesOnly(options.publicUrl));
  router.use(express.urlencoded({ extended: false, limit: "32kb", parameterLimit: 200 }));
  router.use(boundedValues);
  addAccountRoutes(router, accounts);
  const displays = new Displays(deps);
  const shared = {
    ...deps,
    ...{ displays, boards: new LiveBoards(deps), streams: new OpenStreams(stopping, logger) },
    reports: new Reports(store),
  };
  displays.addRoutes(router);
  router.use(requireOwner(accounts), auditChanges(deps));
  router.post("/sign-out", signOut(accounts));
  router.post("/account", changePassword(accounts));
  router.use(changeLimit(deps), businessShare());
  for (const page of pages) {
    for (const [route, handler] of Object.entries(page.routes)) {
      const [method, path = ""] = route.split(" ");
      const answered = answering(handler, page, shared);
      if (method === "GET") router.get(path, answered);
      else router.post(path, answered);
    }
  }
  router.use(noSuchPage);
  router.use(errorPages(send, logger));

  return { handler: router, beginStop: () => stop.abort() };
}
