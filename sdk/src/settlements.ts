import type { Envelope } from "./answer.js";
import type { Operations } from "./generated/types.js";

/** How to find out whether a request took effect when its answer was lost. */
export interface SettlementRule {
  /** A read with the same path parameters. */
  readonly read: keyof Operations;
  /** Rebuilds the lost answer from the read; null if the request had no effect. */
  readonly settles: (read: Envelope) => Envelope | null;
}

/** The operations that are not safe to retry and have no idempotency key. */
export const settlements: { readonly [Id in keyof Operations]?: SettlementRule } = {
  cancelEntry: { read: "getEntry", settles: canceledEntry },
};

function canceledEntry({ data }: Envelope): Envelope | null {
  const { position, ...entry } = data as Operations["getEntry"]["data"];
  return entry.status === "CANCELED" ? { data: entry } : null;
}
