import type { Tx, ViewTx } from "../store/port.js";
import type { BusinessRecord } from "../store/tables.js";
import { RunAgain } from "./operation.js";

/*
 * A queue, a service or an appointment is removed only if nothing refers to it. An operation that makes an entry or an
 * appointment refer to it writes another record than the one that removes it. So it is noted as in use before that
 * operation decides: a note holds for ten minutes, and what has a note of the last eleven minutes is not removed. The
 * notes of queues and services are in their business, that of an appointment is in its record.
 */

/** How long an operation may rely on a note, in milliseconds. */
const noteHoldsMs = 10 * 60_000;

/** How much longer a note keeps what it names: longer than an operation lasts, and the clocks of processes differ. */
const slackMs = 60_000;

/** Whether an operation that begins now may rely on a note of this time; null if there is none. */
export function mayRelyOn(notedAt: number | null, now: number): boolean {
  return notedAt !== null && now >= notedAt && now - notedAt < noteHoldsMs;
}

/** Whether an operation that relies on a note of this time may still run. */
export function keepsUsed(notedAt: number | null, now: number): boolean {
  return notedAt !== null && Math.abs(now - notedAt) < noteHoldsMs + slackMs;
}

/**
 * Stops the operation if a note that queues or services are in use is missing: the note is written, and the operation runs
 * again. An id that is null is left out.
 */
export function noteUseFirst(
  business: BusinessRecord,
  ids: readonly (string | null)[],
  now: number,
): void {
  const { id: businessId } = business;
  const missing = withoutNote(business, ids, now);
  if (missing.length === 0) return;
  throw new RunAgain((tx) => noteUse(tx, businessId, missing), `business ${businessId}`);
}

/** Whether something may refer to a service of a business from now on. It is then noted as in use. */
export function mayUseService(business: BusinessRecord, serviceId: string, now: number): boolean {
  const isOffered = business.services.some(({ id, active }) => id === serviceId && active);
  if (isOffered) noteUseFirst(business, [serviceId], now);
  return isOffered;
}

/** The ids among these that have no note on which an operation that begins now may rely. */
function withoutNote({ used }: BusinessRecord, ids: readonly (string | null)[], now: number) {
  const noted = used.filter(({ at }) => mayRelyOn(at, now)).map(({ id }) => id);
  return ids.filter((id) => id !== null && !noted.includes(id));
}

async function noteUse(tx: Tx, businessId: string, asked: readonly (string | null)[]) {
  const business = await tx.find("businesses", { id: businessId });
  if (!business) return;
  const missing = withoutNote(business, asked, tx.now);
  const ids = [...business.queues, ...business.services]
    .map(({ id }) => id)
    .filter((id) => missing.includes(id));
  if (ids.length === 0) return;
  const others = business.used.filter(({ id }) => !ids.includes(id));
  const notes = ids.map((id) => ({ id, at: tx.now }));
  tx.update("businesses", business, { used: [...others, ...notes] });
}

/** Whether a queue or service must stay: something refers to it, or may do so soon. */
export async function isInUse(
  tx: ViewTx,
  { id: businessId, used }: BusinessRecord,
  id: string,
): Promise<boolean> {
  const note = used.find((one) => one.id === id);
  if (!note) return false;
  if (keepsUsed(note.at, tx.now)) return true;
  const [entry, appointment] = await Promise.all([
    tx.find("entries", { businessId, uses: id }),
    tx.find("appointments", { businessId, isRemoved: false, serviceId: id }),
  ]);
  return entry !== null || appointment !== null;
}
