import type { mongo } from "mongoose";
import { dayOf } from "./collections/days.js";
import type { IdempotencyDoc } from "./collections/idempotency.js";
import type { Database } from "./connection.js";
import { keepReport, lineField } from "./line-pipeline.js";
import { openDays } from "./open-days.js";
import { keyOf, type LinePlace, type Reports } from "./reports.js";
import type { StoreTime } from "./time.js";

/** How long a background write waits for others to be sent with it. */
const gatherMs = 100;

/** The pause before a retry while the database is unavailable. */
const retryMs = 500;

/** The maximum number of lines in one report command. */
const mostReports = 200;

/**
 * The maximum number of waiting writes of idempotency records. Further writes are discarded, because later
 * requests can find the same facts without them.
 */
const mostRecords = 10_000;

/** The comment of a report command, which distinguishes it from a change in a command log. */
export const reportComment = "report";

/** A write to one idempotency record. */
export type RecordWrite = mongo.AnyBulkWriteOperation<IdempotencyDoc>;

/**
 * Writes what no request waits for: reports that changes of a line are settled, and idempotency records.
 * While the database is unavailable it retries.
 */
export class Writer {
  readonly #db: Database;
  readonly #time: StoreTime;
  readonly #reports: Reports;
  readonly #records = new Map<string, RecordWrite>();
  #passing: Promise<void> | null = null;
  #running = false;
  #closing = false;

  constructor(db: Database, time: StoreTime, reports: Reports) {
    this.#db = db;
    this.#time = time;
    this.#reports = reports;
  }

  /** Schedules a report on a line. */
  report(): void {
    void this.#start();
  }

  /** Schedules a write to an idempotency record, which replaces an earlier scheduled one. */
  record(id: string, write: RecordWrite): void {
    if (this.#records.size >= mostRecords && !this.#records.has(id)) return;
    this.#records.set(id, write);
    void this.#start();
  }

  /** Resolves when no write is waiting under this id. */
  async written(id: string): Promise<void> {
    while (this.#records.has(id)) await this.#pass();
  }

  /**
   * Resolves when everything that waits or is being written is stored. Rejects if a write fails; the write is
   * then retried in the background.
   */
  async flush(): Promise<void> {
    await this.#passing?.catch(() => {}); // it may have begun before the newest writes
    await this.#pass();
  }

  /** Writes everything that is waiting, and stops. Other instances recover what cannot be written. */
  async close(): Promise<void> {
    this.#closing = true;
    await this.flush().catch(() => {});
  }

  async #start(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    while (this.#isWaiting() && !this.#closing) {
      await this.#time.pause(gatherMs);
      // The error goes to a caller that waits for the write: `prune`, once a minute, at the latest.
      await this.#pass().catch(() => this.#time.pause(retryMs));
    }
    this.#running = false;
  }

  #pass(): Promise<void> {
    this.#passing ??= this.#write().finally(() => {
      this.#passing = null;
    });
    return this.#passing;
  }

  async #write(): Promise<void> {
    await this.#writeReports();
    await this.#writeRecords();
  }

  #isWaiting(): boolean {
    return this.#records.size > 0 || this.#reports.changed().length > 0;
  }

  async #writeReports(): Promise<void> {
    const changed = this.#reports.changed();
    while (changed.length > 0) await this.#writeTogether(changed.splice(0, mostReports));
  }

  /** Writes the report on a line now, which gives the line a new version. */
  writeReport(place: LinePlace): Promise<void> {
    return this.#writeTogether([place]);
  }

  /** Writes in one command. All instances write in the same order, so that they do not deadlock. */
  async #writeTogether(places: readonly LinePlace[]): Promise<void> {
    const taken = places
      .map((place) => ({ place, report: this.#reports.take(place) }))
      .sort((one, other) => (keyOf(one.place) < keyOf(other.place) ? -1 : 1));
    const now = this.#time.expression();
    const doubted = taken.filter(({ report }) => report.doubt);
    try {
      // A command with an unknown result may still arrive and create the line, so the doubt does it before.
      await openDays(
        this.#db,
        doubted.map(({ place }) => place),
      );
      await this.#db.days.raw.bulkWrite(
        taken.map(({ place, report }) => ({
          updateOne: {
            filter: {
              ...dayOf(place),
              ...(!report.doubt && { [lineField(place.queueId)]: { $exists: true } }),
            },
            update: keepReport(place.queueId, report, now),
          },
        })),
        { ordered: false, comment: reportComment },
      );
      // Without a doubt, a line that does not exist needs no report.
      for (const { place, report } of taken) this.#reports.arrived(place, report);
    } catch (error) {
      // A report that was written anyway may be written again.
      for (const { place, report } of taken) this.#reports.lost(place, report);
      throw error;
    }
  }

  async #writeRecords(): Promise<void> {
    const all = [...this.#records];
    if (all.length === 0) return;
    await this.#db.idempotency.raw.bulkWrite(
      all.map(([, write]) => write),
      { ordered: false },
    );
    for (const [id, write] of all) if (this.#records.get(id) === write) this.#records.delete(id);
  }
}
