import { knownCaller } from "../endpoints/caller.js";
import { invalidField } from "../rules/refusal.js";
import type { Step } from "./steps.js";

const header = "Sandbox-Only";

/**
 * Refuses a request that says it is meant for a sandbox, with whatever value, when its key belongs to another
 * business. The page to try requests on sends the header, and so may any test that must not touch real people.
 */
export const sandboxOnly: Step = (req, res) => {
  if (req.headers[header.toLowerCase()] === undefined) return undefined;
  if (knownCaller(res)?.business.sandbox === false) {
    throw invalidField(header, "must be left out: the key's business is not a sandbox");
  }
  return undefined;
};
