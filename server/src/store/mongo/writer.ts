import type { mongo } from "mongoose";
import { dayOf } from "./collections/days.js";
import type { IdempotencyDoc } from "./collections/idempotency.js";
import type { Database } from "./connection.js";
import { keepReport, lineField } from "./line-pipeline.js";
import { keyOf, type LinePlace, type Reports } from "./reports.js";
import type { StoreTime } from "./time.js";

/** How long what can wait may wait for others. */
const gatherMs = 20;

/** How long to wait when the database cannot be reached. */
const retryMs = 500;

/** How many lines one command reports of at most. */
const mostReports = 200;

/** How many writes of idempotency records may wait; without them, the same is found out later. */
const mostRecords = 10_000;

/** Marks the command of a report, to tell it from a change in a log of commands. */
export const reportComment = "report";

/** A write to one idempotency record. */
export type RecordWrite = mongo.AnyBulkWriteOperation<IdempotencyDoc>;

/**
 * Writes what no request waits for: reports that changes of a line are settled, and idempotency records.
 * While the database is away it tries again.
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

  /** There is something to say of a line. */
  report(): void {
    void this.#start();
  }

  /** There is something to write to an idempotency record, in the place of what was to be written before. */
  record(id: string, write: RecordWrite): void {
    if (this.#records.size >= mostRecords && !this.#records.has(id)) return;
    this.#records.set(id, write);
    void this.#start();
  }

  /** Resolves when nothing is waiting to be written under this id. */
  async written(id: string): Promise<void> {
    while (this.#records.has(id)) await this.#pass();
  }

  /** Resolves when nothing is waiting to be said of this line. */
  async settled(place: LinePlace): Promise<void> {
    if (this.#reports.hasNews(place)) await this.#pass();
  }

  /** Writes what is waiting. Fails as the writing fails; it is then tried again in the background. */
  async flush(): Promise<void> {
    if (this.#isWaiting()) await this.#pass();
  }

  /** Writes what is waiting, and stops. What cannot be written then is found out by others. */
  async close(): Promise<void> {
    this.#closing = true;
    await this.#passing?.catch(() => {});
    await this.flush().catch(() => {});
  }

  async #start(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    while (this.#isWaiting() && !this.#closing) {
      // A caller that waits for the writing gets its error: `prune`, once a minute, at the latest.
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
    if (!this.#closing) await this.#time.pause(gatherMs);
    await this.#writeReports();
    await this.#writeRecords();
  }

  #isWaiting(): boolean {
    return this.#records.size > 0 || this.#reports.news().length > 0;
  }

  async #writeReports(): Promise<void> {
    const news = this.#reports.news();
    while (news.length > 0) await this.#writeTogether(news.splice(0, mostReports));
  }

  /** Writes now what there is to say of a line: it has a new version then. */
  writeReport(place: LinePlace): Promise<void> {
    return this.#writeTogether([place]);
  }

  /** In one command. All instances write in the same order, so none waits for another that waits for it. */
  async #writeTogether(places: readonly LinePlace[]): Promise<void> {
    const taken = places
      .map((place) => ({ place, report: this.#reports.take(place) }))
      .sort((one, other) => (keyOf(one.place) < keyOf(other.place) ? -1 : 1));
    const now = this.#time.expression();
    try {
      await this.#db.days.raw.bulkWrite(
        taken.map(({ place, report }) => ({
          updateOne: {
            filter: { ...dayOf(place), [lineField(place.queueId)]: { $exists: true } },
            update: keepReport(place.queueId, report, now),
          },
        })),
        { ordered: false, comment: reportComment },
      );
    } catch (error) {
      // A report that was written all the same may be written again.
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
