import type { RouteMetadata } from "@queue-api/contract";
import type { Response } from "express";
import { callerOf } from "../endpoints/caller.js";
import { Refusal } from "../rules/refusal.js";

/** Refuses a key that lacks the scope its route needs. */
export function requireScope({ access }: RouteMetadata, res: Response): void {
  if (access === null || access === "public") return;
  if (!callerOf(res).key.scopes.includes(access)) {
    throw new Refusal("insufficient_scope", { required: [access] });
  }
}
