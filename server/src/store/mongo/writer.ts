import { setTimeout } from "node:timers/promises";
import type { mongo } from "mongoose";
import type { IdempotencyDoc } from "./collections/idempotency.js";
import type { Database } from "./connection.js";
import { keepReport, lineField } from "./line-pipeline.js";
import type { LinePlace, Reports } from "./reports.js";
import type { StoreTime } from "./time.js";

/** How long what can wait may wait for others. */
const gatherMs = 20;

/** How long to wait when the database cannot be reached. */
const retryMs = 500;

/** How many answers may wait to be written; the entries hold them all anyway. */
const mostAnswers = 10_000;

interface AnswerWrite {
  readonly filter: mongo.Filter<IdempotencyDoc>;
  readonly update: mongo.UpdateFilter<IdempotencyDoc>;
}

/**
 * Writes what no request has to wait for: that changes of a line are over, and answers under their
 * idempotency keys. When the database is away it waits for it.
 */
export class Writer {
  readonly #db: Database;
  readonly #time: StoreTime;
  readonly #reports: Reports;
  readonly #answers = new Map<string, AnswerWrite>();
  #running: Promise<void> | null = null;
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

  answer(id: string, write: AnswerWrite): void {
    if (this.#answers.size >= mostAnswers) return; // an entry tells its answer too, only slower
    this.#answers.set(id, write);
    void this.#start();
  }

  /** Resolves when no answer is waiting to be written under this id. */
  async written(id: string): Promise<void> {
    while (this.#answers.has(id)) await this.#start();
  }

  /** Resolves when nothing is waiting to be said of this line. */
  async settled(place: LinePlace): Promise<void> {
    if (this.#reports.hasNews(place)) await this.#start();
  }

  /** Resolves when nothing is waiting to be written. */
  async flush(): Promise<void> {
    if (this.#isWaiting()) await this.#start();
  }

  /** Writes what is waiting, once more if need be, and stops. */
  async close(): Promise<void> {
    this.#closing = true;
    await this.#start();
  }

  #start(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #run(): Promise<void> {
    if (!this.#closing) await setTimeout(gatherMs);
    while (this.#isWaiting()) {
      try {
        await this.#writeReports();
        await this.#writeAnswers();
      } catch {
        if (this.#closing) return; // the next one to look at the line recounts it
        await setTimeout(retryMs);
      }
    }
  }

  #isWaiting(): boolean {
    return this.#answers.size > 0 || this.#reports.news().length > 0;
  }

  async #writeReports(): Promise<void> {
    const now = this.#time.expression();
    const said = this.#reports.news().map((place) => [place, this.#reports.take(place)] as const);
    if (said.length === 0) return;
    try {
      await this.#db.days.raw.bulkWrite(
        said.map(([{ day: _id, queueId }, report]) => ({
          updateOne: {
            filter: { _id, [lineField(queueId)]: { $exists: true } },
            update: keepReport(queueId, report, now),
          },
        })),
        { ordered: false },
      );
    } catch (error) {
      for (const [place, report] of said) this.#reports.lost(place, report);
      throw error;
    }
  }

  async #writeAnswers(): Promise<void> {
    const all = [...this.#answers];
    if (all.length === 0) return;
    await this.#db.idempotency.raw.bulkWrite(
      all.map(([, { filter, update }]) => ({ updateOne: { filter, update } })),
      { ordered: false },
    );
    for (const [id, write] of all) if (this.#answers.get(id) === write) this.#answers.delete(id);
  }
}
