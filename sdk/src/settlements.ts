import type { Envelope } from "./answer.js";
import type { Operations } from "./generated/types.js";

/** How to find out whether a request did its work when its answer was lost. */
export interface SettlementRule {
  /** A read with the same path parameters. */
  readonly read: keyof Operations;
  /** The answer that was lost, from what was read; null when the request did not do its work. */
  readonly settles: (read: Envelope) => Envelope | null;
}

/** The operations that can neither be sent again blindly nor carry an idempotency key. */
export const settlements: { readonly [Id in keyof Operations]?: SettlementRule } = {
  cancelEntry: { read: "getEntry", settles: canceledEntry },
};

function canceledEntry({ data }: Envelope): Envelope | null {
  const { position, ...entry } = data as Operations["getEntry"]["data"];
  return entry.status === "CANCELED" ? { data: entry } : null;
}
