import type { OwnerError, OwnerRefusal } from "../owner/owner-error.js";

/**
 * A command with wrong arguments. The message is one line that names the mistake; exit code 2. Any other error has exit
 * code 1.
 */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The command or option that helps. SLUG is the business of the error, if it names one. */
const hints: Readonly<Partial<Record<OwnerRefusal["code"], string>>> = {
  business_not_found: "see: queue-api business list",
  account_not_found: "see: queue-api account list --business SLUG",
  key_not_found: "see: queue-api key list --business SLUG",
  queue_not_found: "see: queue-api queue list --business SLUG",
  entry_not_found: "see: GET /v1/queues/{queueId}/entries",
  appointment_not_found: "see: GET /v1/appointments",
  appointment_has_token: "serve or cancel the person of that token",
  nobody_waiting: "try again later",
  key_limit_reached: "revoke one with: queue-api key revoke KEY_ID",
  email_taken: "give it a new link with: queue-api account link EMAIL --business SLUG",
  slug_taken: "use --replace to replace that business with all that belongs to it",
  demo_slug_taken:
    "name another database with --database, or start without --demo, or, if it has no real customers, first run: queue-api business set SLUG --sandbox on",
  demo_closed: "open one with: queue-api queue open QUEUE_ID",
  not_a_sandbox:
    "if it has no real customers, make it one with: queue-api business set SLUG --sandbox on",
};

/** The message of an error, with a hint about the command or option that helps. */
export function messageWithHint({ message, refusal }: OwnerError): string {
  const hint = hints[refusal.code];
  if (!hint) return message;
  return `${message}; ${"slug" in refusal ? hint.replace("SLUG", refusal.slug) : hint}`;
}
