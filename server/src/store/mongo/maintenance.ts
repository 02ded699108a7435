import type { PruneReport } from "../port/maintenance.js";
import { pruneStep, retention } from "../retention.js";
import type { Catalogue } from "./catalogue.js";
import type { Collection, Database, Filter } from "./connection.js";
import type { Importer } from "./import.js";
import { Lease } from "./lease.js";
import type { StoreTime } from "./time.js";

/**
 * How long one instance prunes alone. Each instance prunes once a minute, so the work of one that died waits
 * for less than two minutes.
 */
const leaseMs = 50_000;

const nothing: PruneReport = {
  auditRows: 0,
  idempotencyRecords: 0,
  windows: 0,
  sessions: 0,
  passwordLinks: 0,
};

/**
 * Removes expired records, at most a fixed number of each kind, and completes work that a crash interrupted.
 * One instance at a time does so.
 */
export class Maintenance {
  readonly #db: Database;
  readonly #time: StoreTime;
  readonly #catalogue: Catalogue;
  readonly #importer: Importer;
  readonly #lease: Lease;

  constructor(db: Database, time: StoreTime, catalogue: Catalogue, importer: Importer) {
    this.#db = db;
    this.#time = time;
    this.#catalogue = catalogue;
    this.#importer = importer;
    this.#lease = new Lease(db, time, "prune", leaseMs);
  }

  /** Removes nothing while another instance prunes. */
  async prune(): Promise<PruneReport> {
    if (!(await this.#lease.take())) return nothing;
    const databaseTime = await this.#db.now(this.#time.expression());
    this.#time.observe(databaseTime);
    const now = this.#time.settled(databaseTime);
    await this.#importer.tidy();
    await this.#spread();
    const { auditBefore, signInWindowUntil, keyWindowUntil, ownerSignInWindowUntil } =
      retention(now);
    const { audit, idempotency, signIns, ownerSignIns } = this.#db;
    const rows = await removeSome(audit, { at: { $lt: auditBefore } });
    return {
      auditRows: rows + (await this.#auditsOfEntries(auditBefore)),
      idempotencyRecords: await removeSome(idempotency, { keptUntil: { $lte: now } }),
      windows:
        (await removeSome(signIns, { startedAt: { $lte: signInWindowUntil } })) +
        (await removeSome(ownerSignIns, { startedAt: { $lte: ownerSignInWindowUntil } })) +
        (await this.#keyWindows(keyWindowUntil)),
      sessions: await this.#sessions(now),
      passwordLinks: await this.#passwordLinks(now),
    };
  }

  /** Lets another instance prune. */
  close(): Promise<void> {
    return this.#lease.end();
  }

  async #spread(): Promise<void> {
    for (const { _id } of await this.#db.businesses.model.find({ spread: false }).lean()) {
      await this.#catalogue.spread(_id);
    }
  }

  async #auditsOfEntries(before: number): Promise<number> {
    const { raw } = this.#db.entries;
    const old = { "audits.at": { $exists: true, $lt: before } }; // required to use the partial index
    const entries = await raw
      .find(old, { projection: { audits: 1 } })
      .limit(pruneStep)
      .toArray();
    if (entries.length === 0) return 0;
    await raw.updateMany(
      { _id: { $in: entries.map(({ _id }) => _id) } },
      { $pull: { audits: { at: { $lt: before } } } },
    );
    return entries.flatMap(({ audits = [] }) => audits.filter(({ at }) => at < before)).length;
  }

  async #sessions(now: number): Promise<number> {
    const { raw } = this.#db.owners;
    const owners = await raw
      .find({ "sessions.expiresAt": { $lte: now } }, { projection: { sessions: 1 } })
      .limit(pruneStep)
      .toArray();
    if (owners.length === 0) return 0;
    await raw.updateMany(
      { _id: { $in: owners.map(({ _id }) => _id) } },
      { $pull: { sessions: { expiresAt: { $lte: now } } } },
    );
    return owners.flatMap(({ sessions }) => sessions.filter(({ expiresAt }) => expiresAt <= now))
      .length;
  }

  async #passwordLinks(now: number): Promise<number> {
    const { raw } = this.#db.owners;
    const ended = { "link.expiresAt": { $lte: now } };
    const owners = await raw
      .find(ended, { projection: { _id: 1 } })
      .limit(pruneStep)
      .toArray();
    if (owners.length === 0) return 0;
    const ids = owners.map(({ _id }) => _id);
    const emptied = await raw.updateMany({ _id: { $in: ids }, ...ended }, { $set: { link: null } });
    return emptied.modifiedCount;
  }

  /** Removes both windows of a key together, or neither. The start of the last one is kept. */
  async #keyWindows(until: number): Promise<number> {
    const { raw } = this.#db.keys;
    const ended = {
      "windows.requests.startedAt": { $exists: true, $lte: until }, // required to use the partial index
      $or: [{ "windows.writes": null }, { "windows.writes.startedAt": { $lte: until } }],
    };
    const keys = await raw
      .find(ended, { projection: { _id: 1 } })
      .limit(pruneStep)
      .toArray();
    if (keys.length === 0) return 0;
    const ids = keys.map(({ _id }) => _id);
    const emptied = await raw.updateMany({ _id: { $in: ids }, ...ended }, [
      { $set: { lastUsedAt: "$windows.requests.startedAt", windows: { $literal: {} } } },
    ]);
    return emptied.modifiedCount;
  }
}

async function removeSome<Doc extends { readonly _id: unknown }>(
  { raw }: Collection<Doc>,
  ended: Filter<Doc>,
): Promise<number> {
  const docs = await raw
    .find(ended, { projection: { _id: 1 } })
    .limit(pruneStep)
    .toArray();
  if (docs.length === 0) return 0;
  const ids = docs.map(({ _id }) => _id);
  const removed = await raw.deleteMany({ ...ended, _id: { $in: ids } } as Filter<Doc>);
  return removed.deletedCount;
}
