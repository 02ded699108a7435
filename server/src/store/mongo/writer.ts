import { setTimeout } from "node:timers/promises";
import type { mongo } from "mongoose";
import type { IdempotencyDoc } from "./collections/idempotency.js";
import type { Database } from "./connection.js";
import { lineField } from "./line-pipeline.js";

/** How long what can wait may wait for others. */
const gatherMs = 20;

/** How long to wait when the database cannot be reached. */
const retryMs = 500;

/** How many answers may wait to be written; the entries hold them all anyway. */
const mostAnswers = 10_000;

/** One line: a queue on a day. */
export interface LinePlace {
  /** Id of the day's document. */
  readonly day: string;
  readonly queueId: string;
}

/** Changes of a line that have ended, of those begun since one recount. */
export interface Ending {
  readonly epoch: number;
  readonly changes: number;
  /** Whether one of them ended in a way that nobody knows. */
  readonly doubt: boolean;
}

interface Ended extends Ending {
  readonly place: LinePlace;
}

interface AnswerWrite {
  readonly filter: mongo.Filter<IdempotencyDoc>;
  readonly update: mongo.UpdateFilter<IdempotencyDoc>;
}

/**
 * Writes what no request has to wait for: that changes of a line have ended, and answers under their
 * idempotency keys. What one process has to write of a line is one number, so it never grows. When the
 * database is away it waits for it.
 */
export class Writer {
  readonly #db: Database;
  readonly #ended = new Map<string, Ended>();
  readonly #answers = new Map<string, AnswerWrite>();
  #running: Promise<void> | null = null;
  #closing = false;

  constructor(db: Database) {
    this.#db = db;
  }

  /** A change of a line is done. With `doubt`, nobody knows whether it is: the line needs a recount. */
  ended(place: LinePlace, epoch: number, { doubt = false } = {}): void {
    this.#note({ place, epoch, changes: 1, doubt });
    void this.#start();
  }

  /** What has ended of a line, for somebody who writes it with a change of their own. */
  take({ day, queueId }: LinePlace): readonly Ending[] {
    const taken = [...this.#ended].filter(
      ([, { place }]) => place.day === day && place.queueId === queueId,
    );
    for (const [key] of taken) this.#ended.delete(key);
    return taken.map(([, ended]) => ended);
  }

  /** Takes endings back that may have been written. Counted twice they would end what still runs. */
  doubt(place: LinePlace, endings: readonly Ending[]): void {
    for (const { epoch } of endings) this.#note({ place, epoch, changes: 0, doubt: true });
    if (endings.length > 0) void this.#start();
  }

  #note({ place, epoch, changes, doubt }: Ended): void {
    const key = `${place.day} ${place.queueId} ${epoch}`;
    const known = this.#ended.get(key);
    this.#ended.set(key, {
      place,
      epoch,
      changes: changes + (known?.changes ?? 0),
      doubt: doubt || (known?.doubt ?? false),
    });
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

  /** Resolves when nothing is waiting to be written of this line. */
  async settled({ day, queueId }: LinePlace): Promise<void> {
    const isOfLine = (ended: Ended) => ended.place.day === day && ended.place.queueId === queueId;
    if ([...this.#ended.values()].some(isOfLine)) await this.#start();
  }

  /** Resolves when nothing is waiting to be written. */
  async flush(): Promise<void> {
    if (this.#ended.size > 0 || this.#answers.size > 0) await this.#start();
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
    while (this.#ended.size > 0 || this.#answers.size > 0) {
      try {
        await this.#writeEnded();
        await this.#writeAnswers();
      } catch {
        if (this.#closing) return; // the next one to look at the line recounts it
        await setTimeout(retryMs);
      }
    }
  }

  async #writeEnded(): Promise<void> {
    const all = [...this.#ended.values()];
    if (all.length === 0) return;
    this.#ended.clear();
    try {
      await this.#db.days.raw.bulkWrite(all.flatMap(endings));
    } catch (error) {
      for (const ended of all) this.#note({ ...ended, changes: 0, doubt: true });
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

/** A line that was recounted meanwhile does not know these changes: it has to be counted again. */
function endings({ place: { day: _id, queueId }, epoch, changes, doubt }: Ended) {
  const line = lineField(queueId);
  const known = { _id, [`${line}.epoch`]: epoch };
  const recounted = { _id, [`${line}.epoch`]: { $gt: epoch } };
  const set = doubt ? { $set: { [`${line}.doubt`]: true } } : {};
  return [
    { updateOne: { filter: known, update: { $inc: { [`${line}.ended`]: changes }, ...set } } },
    { updateOne: { filter: recounted, update: { $set: { [`${line}.doubt`]: true } } } },
  ];
}
