import type { Store } from "../../server/src/operations/store.js";
import { importBusinesses } from "../../server/src/owner/import-business.js";
import { start } from "../store/support/adapters.js";
import {
  attempt,
  auditRow,
  back,
  clinic,
  entry,
  front,
  importOf,
  kiosk,
  today,
  token,
} from "../store/support/records.js";

/** What one instance does. The instance is part of the ids that it chooses. */
export type Act = (store: Store, instance: string) => Promise<unknown>;

const keyed = { key: "K", fingerprint: "body" };

export const acts: Readonly<Record<string, Act>> = {
  "create with K": ({ entries }, one) =>
    entries.issue(clinic.id, token(one, { keyed, audit: auditRow("1") })),
  "create in the back": ({ entries }, one) =>
    entries.issue(clinic.id, token(`${one}b`, { queueId: back.id })),
  "cancel the first": ({ entries }) => entries.move(clinic.id, entry(1).id, "cancel", start),
  "call the first": ({ entries }) => entries.move(clinic.id, entry(1).id, "call", start),
  "call the next": ({ entries }) => entries.callNext(clinic.id, front.id, today, start),
  "move the first": ({ entries }) => entries.transfer(clinic.id, entry(1).id, back.id),
  "undo the first": ({ entries }) => entries.move(clinic.id, entry(1).id, "undo", start),
  "pause the queue": ({ queues }) =>
    queues.change(clinic.id, front.id, { isTokenCreationPaused: true }),
  "revoke the key": ({ keys }) => keys.change(clinic.id, kiosk.id, { revokedAt: start }),
  "use the key": ({ admission }) => admission.admit(attempt()),
};

/** A request that is sent again with its key. */
export const createAgain = acts["create with K"] as Act;

/**
 * The clinic at the start of a run: two people wait, and the key has one request left, after each instance used
 * it once.
 */
export async function begin(observer: Store, instances: readonly Store[]): Promise<void> {
  const keys = [{ ...kiosk, requestsPerMinute: 3 }];
  const entries = [entry(1), entry(2)];
  const parts = { keys, queues: [front, back], entries };
  await importBusinesses(observer, [importOf(clinic, parts)], { replace: false });
  for (const { admission } of instances) await admission.admit(attempt());
}

/** Everything that the acts can change, as any client can see it. */
export async function seen(store: Store): Promise<unknown> {
  const page = { limit: 20, after: null };
  const lines = [front, back].map(({ id: queueId }) =>
    store.entries.page(clinic.id, queueId, today, null, page),
  );
  const [key] = await store.keys.list(clinic.id);
  return [await Promise.all(lines), await store.queues.list(clinic.id), key];
}
