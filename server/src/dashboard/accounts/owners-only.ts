import type { RequestHandler, Router } from "express";
import { PageRefusal } from "../errors.js";
import type { PageRouter } from "../page.js";
import { signedIn } from "../signed-in.js";

/** Refuses staff. */
const ownersOnly: RequestHandler = (_req, res, next) => {
  if (signedIn(res).owner.role === "owner") return next();
  const advice =
    "Staff serve people. Keys, accounts and settings are for the owners of the business.";
  throw new PageRefusal(403, "Only for owners", advice);
};

/** A router whose routes staff cannot reach. */
export function forOwners(router: Router): PageRouter {
  return {
    get: (path, handler) => router.get(path, ownersOnly, handler),
    post: (path, handler) => router.post(path, ownersOnly, handler),
  };
}

/** A router whose routes staff can reach too. */
export function forStaff(router: Router): PageRouter {
  return {
    get: (path, handler) => router.get(path, handler),
    post: (path, handler) => router.post(path, handler),
  };
}
