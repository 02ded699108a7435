import type { PendingAudit, Port, Tx, ViewTx } from "../store/port.js";
import type { BusinessRecord, UseNote } from "../store/tables.js";

/*
 * A queue or a service is removed only if nothing refers to it. An operation that makes an entry or an appointment
 * refer to it writes another record than the one that removes it. So its business notes that it is in use, before that
 * operation decides: a note holds for ten minutes, and what has a note of the last eleven minutes is not removed.
 */

/** How long an operation may rely on a note, in milliseconds. */
const noteHoldsMs = 10 * 60_000;

/** How much longer a note keeps what it names: longer than an operation lasts, and the clocks of processes differ. */
const slackMs = 60_000;

/** The ids among these that have no note on which an operation that begins now may rely. */
export function withoutNote(
  { used }: Pick<BusinessRecord, "used">,
  ids: readonly (string | null)[],
  now: number,
): string[] {
  const holds = ({ at }: UseNote) => now >= at && now - at < noteHoldsMs;
  return ids.flatMap((id) => {
    const isNoted = used.some((note) => note.id === id && holds(note));
    return id === null || isNoted ? [] : id;
  });
}

/** An operation must not write yet: these ids have no note. */
export interface NotNoted {
  readonly outcome: "use_not_noted";
  readonly ids: readonly string[];
}

/** Runs an operation, and writes the notes that it needs before it. */
export async function untilNoted<Outcome extends { readonly outcome: string }>(
  port: Port,
  audit: PendingAudit | null,
  businessId: string,
  decide: (tx: Tx) => Promise<Outcome | NotNoted>,
): Promise<Outcome> {
  for (;;) {
    const decided = await port.run(decide, { audit });
    if (!isNotNoted(decided)) return decided;
    await noteUse(port, businessId, decided.ids);
  }
}

function isNotNoted(decided: { readonly outcome: string }): decided is NotNoted {
  return decided.outcome === "use_not_noted";
}

/** Notes that queues or services are in use, unless another operation has done so meanwhile. */
export function noteUse(port: Port, businessId: string, asked: readonly string[]): Promise<void> {
  return port.run(
    async (tx) => {
      const business = await tx.find("businesses", { id: businessId });
      if (!business) return;
      const known = [...business.queues, ...business.services].map(({ id }) => id);
      const ids = withoutNote(business, asked, tx.now).filter((id) => known.includes(id));
      if (ids.length === 0) return;
      const others = business.used.filter(({ id }) => !ids.includes(id));
      const notes = ids.map((id) => ({ id, at: tx.now }));
      tx.update("businesses", business, { used: [...others, ...notes] });
    },
    { turn: `business ${businessId}` },
  );
}

/** Whether a queue or service must stay: something refers to it, or may do so soon. */
export async function isInUse(
  tx: ViewTx,
  { id: businessId, used }: Pick<BusinessRecord, "id" | "used">,
  id: string,
): Promise<boolean> {
  const note = used.find((one) => one.id === id);
  if (!note) return false;
  if (Math.abs(tx.now - note.at) < noteHoldsMs + slackMs) return true;
  const [entry, appointment] = await Promise.all([
    tx.find("entries", { businessId, uses: id }),
    tx.find("appointments", { businessId, isRemoved: false, serviceId: id }),
  ]);
  return entry !== null || appointment !== null;
}
