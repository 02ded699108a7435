import type { Entry } from "../../rules/records.js";
import { type EntryDoc, readEntry, stateOf, writeEntry } from "./collections/entries.js";
import type { Database, Filter } from "./connection.js";
import type { LinePlace } from "./reports.js";
import { duplicateOf } from "./unavailable.js";

/**
 * The second entry of a change of two. The write that commits the change stores it in the first entry, in the
 * field `outbox`; then it is delivered, which may happen any number of times, and removed from the outbox. If
 * the process ends in between, the recount of the second entry's line delivers it.
 */
export class Outbox {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * Writes the second entry and removes it from the outbox of the first. Returns the entry as it is stored:
   * a new entry whose number was taken has another one.
   */
  async deliver(firstId: string, second: Entry): Promise<Entry> {
    const { raw } = this.#db.entries;
    const stored = second.revision === 0 ? await this.#insert(second) : await this.#update(second);
    await raw.updateOne(
      { _id: firstId, businessId: second.businessId, "outbox._id": second.id },
      { $unset: { outbox: "" } },
    );
    return stored;
  }

  /** Delivers what processes that ended left behind for a line, or for all lines. */
  async deliverAll(place: LinePlace | null): Promise<void> {
    const which: Filter<EntryDoc> = place
      ? {
          businessId: place.businessId,
          "outbox.queueId": place.queueId,
          "outbox.date": place.date,
        }
      : { "outbox.queueId": { $exists: true } };
    // Without a business the server chooses no index, and would read all entries.
    const options = place === null ? { hint: "outbox" } : {};
    for (const { _id, outbox } of await this.#db.entries.raw.find(which, options).toArray()) {
      if (outbox) await this.deliver(_id, readEntry(outbox));
    }
  }

  async #insert(entry: Entry): Promise<Entry> {
    const { raw } = this.#db.entries;
    for (let given = entry; ; given = { ...entry, tokenNumber: await this.#freeNumber(entry) }) {
      try {
        await raw.insertOne(writeEntry(given));
        return given;
      } catch (error) {
        if (duplicateOf(error) === null) throw error;
        const { id: _id, businessId } = entry;
        const there = await raw.findOne({ _id, businessId });
        if (there) return readEntry(there);
      }
    }
  }

  async #freeNumber({ businessId, queueId, date }: Entry): Promise<number> {
    const numbers = this.#db.entries.raw.find({ businessId, queueId, date });
    const [last] = await numbers.sort({ tokenNumber: -1 }).limit(1).toArray();
    return (last?.tokenNumber ?? 0) + 1;
  }

  async #update(entry: Entry): Promise<Entry> {
    const { id: _id, businessId, revision } = entry;
    const before = { _id, businessId, revision: revision - 1 };
    await this.#db.entries.raw.updateOne(before, { $set: stateOf(entry) });
    return entry;
  }
}
