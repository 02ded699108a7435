import { type EntryStatus, limits } from "@queue-api/contract";
import type { Move } from "../rules/transitions.js";
import { type Fault, faultLine } from "./faults.js";

/** Why an owner's action is refused: a code, and the facts that explain it. */
export type OwnerRefusal =
  | { readonly code: "business_not_found" | "owner_not_found" }
  | { readonly code: "key_not_found" | "queue_not_found" }
  | { readonly code: "entry_not_found" | "appointment_not_found" }
  | {
      readonly code:
        | "email_ambiguous"
        | "nobody_waiting"
        | "key_limit_reached"
        | "email_invalid"
        | "email_taken";
    }
  | {
      readonly code: "invalid_state";
      readonly status: EntryStatus;
      readonly required: readonly EntryStatus[];
      readonly move: ServingMove;
    }
  | { readonly code: "invalid_options" | "invalid_seed"; readonly faults: readonly Fault[] }
  /** `path` is the place of the slug in the seed file. */
  | { readonly code: "slug_taken"; readonly path: string }
  | { readonly code: "demo_slug_taken"; readonly slug: string }
  | { readonly code: "demo_closed" }
  | { readonly code: "not_a_sandbox"; readonly slug: string };

/** The moves of the owner's commands. */
export type ServingMove = Extract<Move, "call" | "complete" | "no-show" | "requeue" | "undo">;

/** An owner's action that is refused. `refusal` is for programs, the message is one line for people. */
export class OwnerError extends Error {
  override readonly name = "OwnerError";

  constructor(readonly refusal: OwnerRefusal) {
    super(messageOf(refusal));
  }
}

const participles: Readonly<Record<ServingMove, string>> = {
  call: "called",
  complete: "completed",
  "no-show": "marked as no-show",
  requeue: "put back in the line",
  undo: "put back",
};

function messageOf(refusal: OwnerRefusal): string {
  switch (refusal.code) {
    case "business_not_found":
      return "no business has this slug";
    case "owner_not_found":
      return "no owner has this e-mail address";
    case "key_not_found":
      return "no key has this id";
    case "queue_not_found":
      return "no queue has this id";
    case "entry_not_found":
      return "no entry has this id";
    case "appointment_not_found":
      return "no appointment has this id";
    case "nobody_waiting":
      return "no entry is waiting in this queue today";
    case "key_limit_reached":
      return `the business has ${limits.activeKeys} active keys, which is the maximum`;
    case "email_invalid":
      return "email must be an address like anna@clinic.example";
    case "email_taken":
      return "this e-mail address has an account";
    case "email_ambiguous":
      return "several businesses have an account with this e-mail address; name one with --business";
    case "invalid_state": {
      const { status, required, move } = refusal;
      return `the entry is ${status}; only one that is ${required.join(" or ")} can be ${participles[move]}`;
    }
    case "invalid_options":
      return faultLine(refusal.faults);
    case "invalid_seed": {
      const { faults } = refusal;
      const count = faults.length === 1 ? "a fault" : `${faults.length} faults`;
      return `the seed file has ${count}, nothing was written: ${faultLine(faults)}`;
    }
    case "slug_taken":
      return `${refusal.path} exists already, nothing was written`;
    case "demo_slug_taken":
      return `this database has a business with the slug ${refusal.slug} that is not a sandbox, so the demo does not change it`;
    case "demo_closed":
      return "no queue of the demo takes tokens";
    case "not_a_sandbox":
      return "this business is not a sandbox, and a simulation calls and serves everyone in its queues";
  }
}
