import type { Response } from "express";
import { checkIn } from "../../owner/check-in.js";
import type { Business } from "../../rules/records.js";
import { accountRow, noteAudited } from "../accounts/audit-changes.js";
import { PageNotFound } from "../errors.js";
import type { Flash } from "../flash.js";
import type { DashboardDeps } from "../page.js";
import { statusWords } from "./words.js";

/**
 * Checks an appointment in to a queue, and returns the outcome. Throws {@link PageNotFound} if the
 * appointment or the queue does not exist.
 */
export async function checkedIn(
  { store, random }: DashboardDeps,
  res: Response,
  business: Business,
  appointmentId: string,
  queueId: string,
): Promise<Flash> {
  const now = await store.now();
  const audit = accountRow(res, `/appointments/${appointmentId}/check-in`, now, 201);
  noteAudited(res);
  const context = { now, random, audit };
  const result = await checkIn(store, business, appointmentId, queueId, context);
  const refused = (text: string): Flash => ({ kind: "kindly", text });
  switch (result.outcome) {
    case "added":
      return {
        kind: "done",
        text: `${result.token} was given. The person is in the line.`,
        ticket: result.entryId,
      };
    case "added_before": {
      const said = refused(`The person has ${result.token} already. No second token was given.`);
      return { ...said, ticket: result.entryId };
    }
    case "not_expected": {
      const { word } = statusWords[result.status];
      return refused(`The appointment was changed already: ${word}. No token was given.`);
    }
    case "other_day":
      return refused("The appointment is not today, so no token was given.");
    case "queue_unavailable":
      return refused("This queue is closed, so no token was given. Open it first.");
    case "queue_paused":
      return refused("This queue is paused, so no token was given. Resume it first.");
    case "plan_limit_reached":
      return refused("Today's limit of tokens is reached, so no token was given.");
    case "service_unknown":
      return refused("The service was turned off just now, so no token was given. Try again.");
    case "not_found":
    case "queue_not_found":
      throw new PageNotFound();
  }
}
