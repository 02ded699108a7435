import { type EntryStatus, limits } from "@queue-api/contract";
import { maxAccounts } from "../operations/accounts.js";
import type { Transition } from "../rules/transitions.js";
import { issueLine, type ValidationIssue } from "./validation-issues.js";

const sentences = {
  business_not_found: "no business has this slug",
  account_not_found: "no account has this e-mail address",
  key_not_found: "no key has this id",
  queue_not_found: "no queue has this id",
  entry_not_found: "no entry has this id",
  appointment_not_found: "no appointment has this id",
  appointment_has_token: "the appointment has a token, and its state follows from the token",
  nobody_waiting: "no entry is waiting in this queue today",
  other_day: "the entry is not of today",
  same_queue: "the entry is in this queue already",
  transferred_too_often: "the entry was transferred as often as it can be",
  queue_paused: "the queue is paused",
  queue_unavailable: "the queue is not active",
  plan_limit_reached: "the queue gives no more tokens today",
  key_limit_reached: `the business has ${limits.activeKeys} active keys, which is the maximum`,
  email_invalid: "email must be an address like anna@clinic.example",
  email_taken: "this e-mail address already has an account",
  too_many_accounts: `the business has ${maxAccounts} accounts, which is the maximum`,
  link_changed: "the account has another link by now",
  email_ambiguous:
    "several businesses have an account with this e-mail address; name one with --business",
  demo_closed: "no queue of the demo takes tokens",
} as const;

/** Why an owner's action is refused: a code, and the facts that explain it. */
export type OwnerRefusal =
  | { readonly code: keyof typeof sentences }
  | {
      readonly code: "invalid_state";
      readonly status: EntryStatus;
      readonly required: readonly EntryStatus[];
      readonly transition: ServingTransition | "transfer";
    }
  | {
      readonly code: "invalid_options" | "invalid_seed";
      readonly issues: readonly ValidationIssue[];
    }
  /** `path`: of the slug in the seed file. `written`: whether the businesses before it were written. */
  | { readonly code: "slug_taken"; readonly path: string; readonly written: boolean }
  | { readonly code: "demo_slug_taken" | "not_a_sandbox"; readonly slug: string };

/** The transitions of the owner's commands. */
export type ServingTransition = Extract<
  Transition,
  "call" | "complete" | "no-show" | "requeue" | "undo"
>;

/** An owner's action that is refused. `refusal` is for programs, the message is one line for people. */
export class OwnerError extends Error {
  override readonly name = "OwnerError";

  constructor(readonly refusal: OwnerRefusal) {
    super(messageOf(refusal));
  }
}

const participles: Readonly<Record<ServingTransition | "transfer", string>> = {
  call: "called",
  complete: "completed",
  "no-show": "marked as no-show",
  requeue: "put back in the line",
  undo: "put back",
  transfer: "transferred",
};

function messageOf(refusal: OwnerRefusal): string {
  switch (refusal.code) {
    case "invalid_state": {
      const { status, required, transition } = refusal;
      return `the entry is ${status}; only one that is ${required.join(" or ")} can be ${participles[transition]}`;
    }
    case "invalid_options":
      return issueLine(refusal.issues);
    case "invalid_seed": {
      const { issues } = refusal;
      const count = issues.length === 1 ? "an error" : `${issues.length} errors`;
      return `the seed has ${count}, nothing was written: ${issueLine(issues)}`;
    }
    case "slug_taken":
      return refusal.written
        ? `${refusal.path} was taken by another program, the businesses before it were written`
        : `${refusal.path} exists already, nothing was written`;
    case "demo_slug_taken":
      return `this database has a business with the slug ${refusal.slug} that is not a sandbox, so the demo does not change it`;
    case "not_a_sandbox":
      return "this business is not a sandbox, and a simulation calls and serves everyone in its queues";
    default:
      return sentences[refusal.code];
  }
}
