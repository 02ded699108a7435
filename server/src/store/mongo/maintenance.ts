import type { MaintenanceStore } from "../port/maintenance.js";
import { pruneStep, retention } from "../retention.js";
import { type Database, removeSome } from "./connection.js";
import type { EntryDoc, ImportDoc, OwnerDoc } from "./documents.js";
import { repeatable } from "./guard.js";
import { removeRecords } from "./imports.js";
import { expiring } from "./issue.js";
import type { StoreTime } from "./time.js";

type Filter = Readonly<Record<string, unknown>>;

/** Removes expired records. Any number of instances may do so at the same time. */
export function mongoMaintenance(db: Database, time: StoreTime): MaintenanceStore {
  return {
    async prune() {
      await time.read();
      const now = time.expiry();
      const { auditBefore, importUntil } = retention(now);
      const ofEntries = await pruneEntries(db, now, auditBefore);
      return {
        auditRows: ofEntries.auditRows + (await removeSome(db.audit, { at: { $lt: auditBefore } })),
        idempotencyKeys: ofEntries.keys,
        windows: await removeSome(db.windows, { endsAt: { $lte: now } }),
        sessions: await pruneSessions(db, now),
        passwordLinks: await prunePasswordLinks(db, now),
        unnamed: await sweep(db, importUntil),
      };
    },
  };
}

/** Removes expired keys and audit rows from the entries that hold them. */
async function pruneEntries({ entries }: Database, now: number, auditBefore: number) {
  const docs = await repeatable(() =>
    entries
      .find({ expiresAt: { $lte: now } }, { businessId: 1, revision: 1, keyed: 1, audits: 1 })
      .limit(pruneStep)
      .lean<EntryDoc[]>(),
  );
  const removed = { keys: 0, auditRows: 0 };
  const updates = docs.map(({ _id, businessId, revision, keyed = null, audits }) => {
    const key = keyed && now < keyed.keptUntil ? keyed : null;
    const { audits: rest, expiresAt } = expiring(
      key,
      audits.filter(({ at }) => at >= auditBefore),
    );
    if (keyed && !key) removed.keys += 1;
    removed.auditRows += audits.length - rest.length;
    return {
      updateOne: {
        // An entry that changes at the same time is pruned the next time.
        filter: { _id, businessId, revision },
        update: {
          $set: { audits: rest, ...(expiresAt !== undefined && { expiresAt }) },
          $unset: {
            ...(!key && { keyed: 1 as const }),
            ...(expiresAt === undefined && { expiresAt: 1 as const }),
          },
        },
      },
    };
  });
  if (updates.length > 0) await entries.bulkWrite(updates as never, { ordered: false });
  return removed;
}

async function pruneSessions({ owners }: Database, now: number): Promise<number> {
  const ended = { "sessions.expiresAt": { $lte: now } };
  const docs = await repeatable(() =>
    owners.find(ended, { sessions: 1 }).limit(pruneStep).lean<OwnerDoc[]>(),
  );
  if (docs.length === 0) return 0;
  const ids = docs.map(({ _id }) => _id);
  const removed = { $pull: { sessions: { expiresAt: { $lte: now } } } };
  await repeatable(() => owners.updateMany({ _id: { $in: ids } }, removed));
  return docs.flatMap(({ sessions }) => sessions.filter(({ expiresAt }) => expiresAt <= now))
    .length;
}

async function prunePasswordLinks({ owners }: Database, now: number): Promise<number> {
  const ended = { "link.expiresAt": { $lte: now } };
  const { modifiedCount } = await repeatable(() =>
    owners.updateMany(ended, { $set: { link: null } }),
  );
  return modifiedCount;
}

/** Removes records that no business names. Returns how many. */
async function sweep(db: Database, importUntil: number): Promise<number> {
  const { imports, businesses } = db;
  const old: Filter = {
    $or: [{ state: { $in: ["replaced", "swept"] } }, { at: { $lte: importUntil } }],
  };
  const docs = await repeatable(() =>
    imports.find({ ...old, state: { $ne: "copy" } }).lean<ImportDoc[]>(),
  );
  let removed = 0;
  for (const { _id, state, at } of docs) {
    const isNamed = (await repeatable(() => businesses.exists({ id: _id }))) !== null;
    if (!isNamed && state === "adding") {
      // From here on the import cannot be committed.
      const began = { _id, state, at };
      const { matchedCount } = await imports.updateOne(began, { $set: { state: "swept" } });
      if (matchedCount === 0) continue;
    }
    const some = isNamed ? 0 : await removeRecords(db, _id);
    removed += some;
    // Later, because a request that had read the business may still write to it.
    if (some === 0 && at <= importUntil) await repeatable(() => imports.deleteOne({ _id, at }));
  }
  return removed;
}
