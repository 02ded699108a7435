import { auditRetentionMs } from "../../rules/audit.js";
import { importPauseMs, type MaintenanceStore, pruneStep } from "../port/imports.js";
import { type Database, readAll, removeSome } from "./connection.js";
import { expiring } from "./documents.js";
import { repeatable } from "./guard.js";
import { removeRecords } from "./imports.js";
import type { StoreTime } from "./time.js";

/** Removes expired records. Any number of instances may do so at the same time. */
export function mongoMaintenance(db: Database, time: StoreTime): MaintenanceStore {
  return {
    async prune() {
      await time.read();
      const now = time.expiry();
      const auditBefore = now - auditRetentionMs;
      const { modifiedCount } = await repeatable(() =>
        db.owners.updateMany({ "link.expiresAt": { $lte: now } }, { $set: { link: null } }),
      );
      const over = { endsAt: { $lte: now } };
      await removeSome(db.windows, { ...over, changes: { $exists: true } }); // of keys
      const ofEntries = await pruneEntries(db, now, auditBefore);
      return {
        auditRows: ofEntries.auditRows + (await removeSome(db.audit, { at: { $lt: auditBefore } })),
        idempotencyKeys: ofEntries.keys,
        windows: await removeSome(db.windows, { ...over, changes: { $exists: false } }),
        sessions: await pruneSessions(db, now),
        passwordLinks: modifiedCount,
        unnamed: await sweep(db, now - importPauseMs),
      };
    },
  };
}

/** Removes expired keys and audit rows from the entries that hold them. */
async function pruneEntries({ entries }: Database, now: number, auditBefore: number) {
  const docs = await readAll(
    entries,
    { expiresAt: { $exists: true, $lte: now } },
    { fields: { businessId: 1, revision: 1, keyed: 1, audits: 1 }, limit: pruneStep },
  );
  const removed = { keys: 0, auditRows: 0 };
  const updates = docs.map(({ _id, businessId, revision, keyed = null, audits }) => {
    const key = keyed && now < keyed.keptUntil ? keyed : null;
    const kept = expiring(
      key,
      audits.filter(({ at }) => at >= auditBefore),
    );
    if (keyed && !key) removed.keys += 1;
    removed.auditRows += audits.length - kept.audits.length;
    const $unset = { ...(!key && { keyed: 1 }), ...(!kept.expiresAt && { expiresAt: 1 }) };
    // An entry that changes at the same time is pruned the next time.
    return { updateOne: { filter: { _id, businessId, revision }, update: { $set: kept, $unset } } };
  });
  if (updates.length > 0) await entries.bulkWrite(updates as never, { ordered: false });
  return removed;
}

async function pruneSessions({ owners }: Database, now: number): Promise<number> {
  const ended = { "sessions.expiresAt": { $lte: now } };
  const docs = await readAll(owners, ended, { fields: { sessions: 1 }, limit: pruneStep });
  if (docs.length === 0) return 0;
  const ids = docs.map(({ _id }) => _id);
  const removed = { $pull: { sessions: { expiresAt: { $exists: true, $lte: now } } } };
  await repeatable(() => owners.updateMany({ _id: { $in: ids } }, removed));
  return docs.flatMap(({ sessions }) => sessions.filter(({ expiresAt }) => expiresAt <= now))
    .length;
}

/** Removes records that no business names. Returns how many. */
async function sweep(db: Database, importUntil: number): Promise<number> {
  const { imports, businesses } = db;
  const ended = [
    { state: { $in: ["replaced", "swept"] } },
    { state: "adding", at: { $lte: importUntil } },
  ];
  const docs = await readAll(imports, { $or: ended });
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
