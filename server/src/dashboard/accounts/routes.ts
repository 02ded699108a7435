import type { RequestHandler, Router } from "express";
import { placeOfKey } from "../../rules/key.js";
import { PageRefusal } from "../errors.js";
import type { AccountDeps } from "./session.js";
import { setPassword, showSetPassword } from "./set-password.js";
import { showSignIn, signIn } from "./sign-in.js";

/** Adds the routes that need no sign-in. */
export function addAccountRoutes(router: Router, deps: AccountDeps): void {
  router.get("/sign-in", showSignIn(deps));
  router.post("/sign-in", signIn(deps));
  router.get("/set-password", showSetPassword(deps));
  router.post("/set-password", setPassword(deps));
}

/** Refuses an API key in the URL: it grants no access here, and URLs end up in logs and histories. */
export const noKeyInUrl: RequestHandler = (req, _res, next) => {
  if (placeOfKey(req.originalUrl) === null) return next();
  const advice =
    "API keys do not work here, and an address is stored in logs and histories. Revoke that key and make a new one.";
  throw new PageRefusal(400, "An API key in the address", advice);
};
