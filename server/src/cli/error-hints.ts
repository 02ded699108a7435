import type { OwnerError, OwnerRefusal } from "../owner/owner-error.js";

/** The message of an error, with a hint about the command or option that helps. */
export function messageWithHint({ message, refusal }: OwnerError): string {
  const hint = hintFor(refusal);
  return hint === null ? message : `${message}; ${hint}`;
}

function hintFor(refusal: OwnerRefusal): string | null {
  switch (refusal.code) {
    case "business_not_found":
      return "see: queue-api business list";
    case "owner_not_found":
      return "see: queue-api owner list --business SLUG";
    case "key_not_found":
      return "see: queue-api key list --business SLUG";
    case "queue_not_found":
      return "see: queue-api queue list --business SLUG";
    case "entry_not_found":
      return "see: GET /v1/queues/{queueId}/entries";
    case "appointment_not_found":
      return "see: GET /v1/appointments";
    case "nobody_waiting":
      return "try again later";
    case "key_limit_reached":
      return "revoke one with: queue-api key revoke KEY_ID";
    case "email_taken":
      return "give it a new link with: queue-api owner link EMAIL";
    case "slug_taken":
      return "use --replace to replace that business with all that belongs to it";
    case "demo_slug_taken":
      return `name another database with --database, or start without --demo, or, if it has no real customers, first run: queue-api business set ${refusal.slug} --sandbox on`;
    case "demo_closed":
      return "open one with: queue-api queue open QUEUE_ID";
    case "not_a_sandbox":
      return `if it has no real customers, make it one with: queue-api business set ${refusal.slug} --sandbox on`;
    case "email_ambiguous":
    case "email_invalid":
    case "invalid_state":
    case "invalid_options":
    case "invalid_seed":
      return null; // the message says enough
  }
}
