import type { RequestHandler } from "express";
import { hashSecret } from "../../rules/key.js";
import { leaveFlash } from "../flash.js";
import { at } from "../root.js";
import { signedIn } from "../signed-in.js";
import type { AccountDeps } from "./session.js";

/** `POST /sign-out`, with `everywhere=yes` for every browser in which the owner is signed in. */
export function signOut({ store, cookie, logger }: AccountDeps): RequestHandler {
  return async (req, res) => {
    const { owner } = signedIn(res);
    const everywhere = req.body?.everywhere === "yes";
    const token = cookie.read(req);
    if (everywhere) await store.endSessions(owner.businessId, owner.id);
    else if (token !== null) await store.endSession(hashSecret(token));
    cookie.clear(req, res);
    logger.info({ ownerId: owner.id, everywhere }, "an owner signed out");
    const where = everywhere ? " everywhere" : "";
    leaveFlash(req, res, { kind: "done", text: `You are signed out${where}.` });
    res.redirect(303, at(res, "/sign-in"));
  };
}
