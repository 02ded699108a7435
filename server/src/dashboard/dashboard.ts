import express, { type RequestHandler, Router } from "express";
import { placeOfKey } from "../rules/key.js";
import { changeLimit } from "./accounts/change-limit.js";
import { requireOwner } from "./accounts/require-owner.js";
import { ownPagesOnly } from "./accounts/same-origin.js";
import { signOut } from "./accounts/session.js";
import { setPassword, showSetPassword } from "./accounts/set-password.js";
import { showSignIn, signIn } from "./accounts/sign-in.js";
import { serveAsset } from "./assets.js";
import { businessShare } from "./business-share.js";
import { addDisplays } from "./display/display.js";
import { errorPages, noSuchPage } from "./error-pages.js";
import { pageHeaders } from "./headers.js";
import { pageSender } from "./layout.js";
import { boundedValues } from "./longest-value.js";
import { answering, type DashboardDeps } from "./page.js";
import { PageRefusal } from "./page-error.js";
import { noteRoot } from "./request.js";
import { sections } from "./sections.js";
import { Reports } from "./statistics/reports.js";

/** The options of the dashboard. */
export interface DashboardOptions
  extends Pick<DashboardDeps, "store" | "random" | "logger" | "passwords" | "baseUrl"> {
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
  const send = pageSender(sections, store);
  const elapsed = () => performance.now();
  const deps = { store, random, logger, baseUrl, send, elapsed, passwords };
  const router = Router({ caseSensitive: true, strict: true });

  router.use(noteRoot(baseUrl), pageHeaders(stop.signal));
  router.get("/assets/:file", serveAsset);
  router.use(noKeyInUrl, ownPagesOnly(options.publicUrl));
  router.use(express.urlencoded({ extended: false, limit: "32kb", parameterLimit: 200 }));
  router.use(boundedValues);
  router.get("/sign-in", showSignIn(deps));
  router.post("/sign-in", signIn(deps));
  router.get("/set-password", showSetPassword(deps));
  router.post("/set-password", setPassword(deps));
  addDisplays(router, deps);
  const shared = { ...deps, reports: new Reports(store) };
  router.use(requireOwner(deps));
  router.post("/sign-out", signOut(deps));
  router.use(changeLimit(deps), businessShare());
  for (const section of sections) {
    for (const [route, handler] of Object.entries(section.routes)) {
      const [method, path = ""] = route.split(" ");
      const answered = answering(handler, section, shared);
      if (method === "GET") router.get(path, answered);
      else router.post(path, answered);
    }
  }
  router.use(noSuchPage);
  router.use(errorPages(send, logger));

  return { handler: router, beginStop: () => stop.abort() };
}

/** Refuses an API key in the URL: it grants no access here, and URLs end up in logs and histories. */
const noKeyInUrl: RequestHandler = (req, _res, next) => {
  if (placeOfKey(req.originalUrl) === null) return next();
  const advice =
    "API keys do not work here, and an address is stored in logs and histories. Revoke that key and make a new one.";
  throw new PageRefusal(400, "An API key in the address", advice);
};
