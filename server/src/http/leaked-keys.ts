import type { RequestHandler } from "express";
import type { Store } from "../operations/store.js";
import { invalidField } from "../rules/api-error.js";
import { holdsKey, keyLocation } from "../rules/key.js";
import { reportSignInWindow } from "./admission.js";

const advice = "must not contain an API key; send it in the Authorization header";

/** Refuses a request with a key in its URL, valid or not, before any other check. */
export function keyInUrl(store: Store): RequestHandler {
  return async (req, res, next) => {
    const location = keyLocation(req.url);
    if (location === null) {
      next();
      return;
    }
    await reportSignInWindow(store, res);
    throw invalidField(safeName(location), advice);
  };
}

const maxNameLength = 64;

/** A name from the request, as an error may repeat it: shortened, well-formed, and masked if it contains a key. */
export function safeName(name: string): string {
  if (holdsKey(name)) return "(an API key)";
  const short = name.length > maxNameLength ? `${name.slice(0, maxNameLength)}…` : name;
  return short.toWellFormed();
}
