import express, { type RequestHandler, Router } from "express";
import { keyLocation } from "../rules/key.js";
import { changeLimit } from "./accounts/change-limit.js";
import { requireAccount } from "./accounts/require-account.js";
import { sameOriginOnly } from "./accounts/same-origin.js";
import { signOut } from "./accounts/session.js";
import { setPassword, showSetPassword } from "./accounts/set-password.js";
import { showSignIn, signIn } from "./accounts/sign-in.js";
import { serveAsset } from "./assets.js";
import { businessShare } from "./business-share.js";
import { addDisplays } from "./display.js";
import { errorPages, noSuchPage } from "./error-pages.js";
import { pageSender } from "./layout.js";
import { boundedValues } from "./max-value-length.js";
import { PageError } from "./page-error.js";
import { pageHeaders } from "./page-headers.js";
import { noteRoot } from "./request.js";
import { sections } from "./sections.js";
import { Reports } from "./statistics/reports.js";
import { type DashboardDeps, routeHandler } from "./visit.js";

/** The options of the dashboard. */
export interface DashboardOptions
  extends Pick<DashboardDeps, "store" | "random" | "logger" | "passwords" | "baseUrl"> {
  /** `BASE_URL`, or null if it is not set. */
  readonly publicUrl: string | null;
}

/**
 * The pages under `/dashboard`, where it is to be mounted: the pipeline from a request to a page, in order. Handles all
 * requests below it, including unknown paths and errors.
 */
export function buildDashboard(options: DashboardOptions): RequestHandler {
  const { store, random, logger, passwords, baseUrl } = options;
  const send = pageSender(sections, store);
  const reports = new Reports(store);
  const deps = { store, random, logger, baseUrl, send, passwords, reports };
  const router = Router({ caseSensitive: true, strict: true });

  router.use(noteRoot(baseUrl), pageHeaders);
  router.get("/assets/:file", serveAsset);
  router.use(noKeyInUrl, sameOriginOnly(options.publicUrl));
  const bounds = { limit: "32kb", parameterLimit: 200 };
  // `inflate: false`, because the parser never ends a compressed form whose client leaves
  router.use(express.urlencoded({ extended: false, inflate: false, ...bounds }));
  router.use(boundedValues);
  router.get("/sign-in", showSignIn(deps));
  router.post("/sign-in", signIn(deps));
  router.get("/set-password", showSetPassword(deps));
  router.post("/set-password", setPassword(deps));
  addDisplays(router, deps);
  router.use(requireAccount(deps));
  router.post("/sign-out", signOut(deps));
  router.use(changeLimit(deps), businessShare());
  for (const section of sections) {
    for (const [route, handler] of Object.entries(section.routes)) {
      const [method, path = ""] = route.split(" ");
      const handle = routeHandler(handler, section, deps);
      if (method === "GET") router.get(path, handle);
      else router.post(path, handle);
    }
  }
  router.use(noSuchPage);
  router.use(errorPages(send, logger));
  return router;
}

/** Refuses an API key in the URL: it grants no access here, and URLs end up in logs and histories. */
const noKeyInUrl: RequestHandler = (req, _res, next) => {
  if (keyLocation(req.originalUrl) === null) return next();
  const advice =
    "API keys do not work here, and an address is stored in logs and histories. Revoke that key and make a new one.";
  throw new PageError(400, "An API key in the address", advice);
};
