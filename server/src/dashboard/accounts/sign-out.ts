import type { RequestHandler } from "express";
import { hashSecret } from "../../rules/key.js";
import { done } from "../flash.js";
import { signedIn } from "../signed-in.js";
import { sessionCookie, sessionToken } from "./cookie.js";
import type { AccountDeps } from "./session.js";

/** `POST /sign-out`, with `everywhere=yes` for every browser in which the owner is signed in. */
export function signOut({ store, logger }: AccountDeps): RequestHandler {
  return async (req, res) => {
    const { owner } = signedIn(res);
    const everywhere = req.body?.everywhere === "yes";
    const token = sessionToken(req, res);
    if (everywhere) await store.endSessions(owner.businessId, owner.id);
    else if (token !== null) await store.endSession(hashSecret(token));
    sessionCookie.clear(req, res);
    logger.info({ ownerId: owner.id, everywhere }, "an owner signed out");
    const where = everywhere ? " everywhere" : "";
    done(req, res, `You are signed out${where}.`, "/sign-in");
  };
}
