import type { Envelope } from "../answer.js";
import type { Operation } from "../operation.js";
import type { DeadlineOptions } from "./deadline.js";
import type { HttpRequest } from "./exchange.js";

/** One request of an operation. */
export interface Step {
  readonly operation: Operation;
  readonly request: HttpRequest;
}

/** A read that tells whether a request whose answer was lost did its work. */
export interface Settlement extends Step {
  /** The answer that was lost, from what was read; null when the request did not do its work. */
  readonly settles: (read: Envelope) => Envelope | null;
}

/** What a call has to do. */
export interface Task extends Step, DeadlineOptions {
  readonly maxRetries: number;
  /** The key that makes a creation safe to send again; null for anything else. */
  readonly idempotencyKey: string | null;
  /** For a request that cannot simply be sent again; null for one that can. */
  readonly settlement: Settlement | null;
}
