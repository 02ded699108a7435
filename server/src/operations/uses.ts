import type { Tx, ViewTx } from "../store/port.js";
import type { BusinessRecord, Stored } from "../store/tables.js";

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
 * Makes sure that queues or services are noted as in use. If a note is missing, it is written first, and the operation
 * runs again. Ids that are null are left out.
 */
export function noteUseFirst(
  tx: Tx,
  business: Stored<"businesses">,
  ids: readonly (string | null)[],
): void {
  const noted = business.used.filter(({ at }) => mayRelyOn(at, tx.now)).map(({ id }) => id);
  const missing = ids.filter((id) => id !== null).filter((id) => !noted.includes(id));
  if (missing.length === 0) return;
  const others = business.used.filter(({ id }) => !missing.includes(id));
  const notes = missing.map((id) => ({ id, at: tx.now }));
  tx.updateFirst("businesses", business, { used: [...others, ...notes] });
}

/** Whether something may refer to a service of a business from now on. It is then noted as in use. */
export function mayUseService(tx: Tx, business: Stored<"businesses">, serviceId: string): boolean {
  const isOffered = business.services.some(({ id, active }) => id === serviceId && active);
  if (isOffered) noteUseFirst(tx, business, [serviceId]);
  return isOffered;
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
