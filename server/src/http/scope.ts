import type { RouteMetadata } from "@queue-api/contract";
import type { AppRoute } from "@ts-rest/core";
import { callerOf } from "../endpoints/caller.js";
import { Refusal } from "../rules/refusal.js";
import type { Step } from "./steps.js";

/** Refuses a key that lacks the scope its route needs. */
export function requireScope({ metadata }: AppRoute): Step {
  const { access } = metadata as RouteMetadata;
  if (access === null || access === "public") return () => undefined;
  return (_req, res) => {
    if (!callerOf(res).key.scopes.includes(access)) {
      throw new Refusal("insufficient_scope", { required: [access] });
    }
    return undefined;
  };
}
