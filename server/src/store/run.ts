import { setTimeout as pause } from "node:timers/promises";
import type { Clock, Random } from "../rules/ports.js";
import type { StoreClock } from "./clock.js";
import { StoreUnavailableError } from "./errors.js";
import { KeyedMutex } from "./keyed-mutex.js";
import { Marks } from "./marks.js";
import type { Adapter, Port, RunOptions, Tx, Write } from "./port.js";
import { audited, type Stored, type TableName, type Tables } from "./tables.js";

/** How often an operation runs before it gives up. Each time, another write came first. */
const mostRuns = 60;

/**
 * The longest pause before an operation runs again, in milliseconds. It pauses for up to twice as long as it took: on a
 * busy database, others then come first.
 */
const longestPauseMs = 500;

/** What {@link portOn} needs. */
export interface PortOptions {
  readonly clock: StoreClock;
  /** Milliseconds of a monotonic clock. */
  readonly elapsed: Clock;
  readonly random: Random;
}

/** Runs operations on an adapter: the one place where a write is sent, and where an operation runs again. */
export function portOn(adapter: Adapter, { clock, elapsed, random }: PortOptions): Port {
  const mutex = new KeyedMutex(elapsed);
  const running = new Set<Promise<unknown>>();

  /** Keeps track of work, so that the database closes after it. */
  function track<Result>(work: Promise<Result>): Promise<Result> {
    const ended = work.then(nothing, nothing);
    running.add(ended);
    void ended.then(() => running.delete(ended));
    return work;
  }
  const marks = new Marks(() => clock.now(), random);

  async function runUntilWritten<Result>(
    operation: (tx: Tx) => Promise<Result>,
    { audit: asked = null }: RunOptions,
  ): Promise<Result> {
    for (let runs = 1; ; runs++) {
      const beganAt = elapsed();
      const tx = new Transaction(adapter, clock, marks);
      const result = await operation(tx);
      const { write } = tx;
      if (!write) return result;
      const audit = write.table in audited && !asked?.isStored ? asked : null;
      const row = audit && { ...audit.row, id: marks.next(), sumName: null };
      if ((await adapter.send({ ...write, audit: row } as Write)) === "done") {
        if (audit) audit.isStored = true;
        return result;
      }
      if (runs === mostRuns) {
        throw new StoreUnavailableError(`gave up after ${mostRuns} conflicts with other writes`);
      }
      const share = (random(1)[0] ?? 0) / 256; // so that two operations in conflict do not meet again
      await pause(share * Math.min((elapsed() - beganAt) * 2, longestPauseMs));
    }
  }

  return {
    run: (operation, options = {}) =>
      track(mutex.run(options.mutex ?? null, () => runUntilWritten(operation, options))),
    read: (view) => track(view(new Transaction(adapter, clock, marks))),
    now: () => clock.now(),
    pruneTime: () => clock.pruneTime(),
    append: (table, records) => track(adapter.append(table, records)),
    purge: (purge) => adapter.purge(purge),
    sweep: (...asked) => adapter.sweep(...asked),
    tidy: () => adapter.tidy(),
    ping: () => adapter.ping(),
    async close() {
      while (running.size > 0) await Promise.all(running);
      await adapter.close();
    },
  };
}

const nothing = () => {};

type KeptWrite = { [T in TableName]: Omit<Write<T>, "audit"> }[TableName];

/** Reads from the database at once, and keeps the write until the operation ends. */
class Transaction implements Tx {
  readonly find: Tx["find"];
  readonly list: Tx["list"];
  readonly count: Tx["count"];
  readonly line: Tx["line"];
  readonly last: Tx["last"];
  readonly waiting: Tx["waiting"];
  readonly now: number;
  readonly expiry: number;
  readonly mark: () => string;
  #write: KeptWrite | null = null;

  constructor(adapter: Adapter, clock: StoreClock, marks: Marks) {
    this.find = (...asked) => adapter.find(...asked);
    this.list = (...asked) => adapter.list(...asked);
    this.count = (...asked) => adapter.count(...asked);
    this.line = (...asked) => adapter.line(...asked);
    this.last = (...asked) => adapter.last(...asked);
    this.waiting = (...asked) => adapter.waiting(...asked);
    this.now = clock.now();
    this.expiry = clock.expiry();
    this.mark = () => marks.next();
  }

  get write(): KeptWrite | null {
    return this.#write;
  }

  insert<T extends TableName>(table: T, record: Tables[T]): void {
    this.#keep({ kind: "insert", table, record } as KeptWrite);
  }

  update<T extends TableName>(table: T, before: Stored<T>, change: Partial<Tables[T]>): void {
    const { version, ...record } = { ...before, ...change } as Stored<T>;
    this.#keep({ kind: "update", table, before, record } as unknown as KeptWrite);
  }

  remove<T extends TableName>(table: T, before: Stored<T>): void {
    this.#keep({ kind: "remove", table, before } as KeptWrite);
  }

  #keep(write: KeptWrite): void {
    if (this.#write) throw new Error("an operation writes one record");
    this.#write = write;
  }
}
