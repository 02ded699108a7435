import { newId } from "../rules/ids.js";
import type { Random } from "../rules/ports.js";
import type { Business } from "../rules/records.js";
import type { ChangeOptions, TransferOutcome } from "../store/port/entries.js";
import type { Store } from "../store/store.js";

export interface TransferContext extends Pick<ChangeOptions, "seen" | "audit"> {
  readonly now: number;
  readonly random: Random;
}

/** Moves a person to another queue of their day, where they get a new token. */
export function transferEntry(
  store: Pick<Store, "entries">,
  { id: businessId, dailyTokenLimit }: Business,
  entryId: string,
  queueId: string,
  { now, random, ...options }: TransferContext,
): Promise<TransferOutcome> {
  const request = { id: newId(now, random), queueId, dailyTokenLimit };
  return store.entries.transfer(businessId, entryId, request, now, options);
}
