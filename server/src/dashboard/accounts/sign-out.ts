import type { RequestHandler } from "express";
import { done, redirect } from "../page.js";
import { signedIn } from "../signed-in.js";
import { sessionCookie } from "./cookie.js";
import { sessionOf } from "./require-owner.js";
import type { AccountDeps } from "./session.js";

/** `POST /sign-out`, with `everywhere=yes` for every browser in which the owner is signed in. */
export function signOut({ store, sessions, logger }: AccountDeps): RequestHandler {
  return async (req, res) => {
    const { owner } = signedIn(res);
    const everywhere = req.body?.everywhere === "yes";
    if (everywhere) {
      await store.sessions.endAll(owner.businessId, owner.id);
      sessions.allEnded(owner.id);
    } else {
      const { id } = sessionOf(res);
      await store.sessions.end(id);
      sessions.ended(id);
    }
    sessionCookie.clear(req, res);
    logger.info({ ownerId: owner.id, everywhere }, "an owner signed out");
    const where = everywhere ? " everywhere" : "";
    redirect(req, res, done(`You are signed out${where}.`, "/sign-in"));
  };
}
