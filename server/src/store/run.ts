import { setTimeout as pause } from "node:timers/promises";
import type { Clock, Random } from "../rules/ports.js";
import { StoreClock } from "./clock.js";
import { StoreUnavailableError } from "./errors.js";
import { KeyedMutex } from "./keyed-mutex.js";
import { OrderedIds } from "./ordered-ids.js";
import type { Adapter, Port, RunOptions, Tx, ViewTx, Write } from "./port.js";
import { audited, type TableName } from "./tables.js";

/** How often an operation runs before it gives up. Each time, another write came first. */
const maxRuns = 60;

/**
 * The longest pause before an operation runs again, in milliseconds. It pauses for up to twice as long as it took: on a
 * busy database, others then come first.
 */
const maxPauseMs = 500;

interface PortOptions {
  readonly clock: Clock;
  /** Milliseconds of a monotonic clock. */
  readonly elapsed: Clock;
  readonly random: Random;
}

/** Runs operations on an adapter: the one place where a write is sent, and where an operation runs again. */
export function portOn(adapter: Adapter, { clock: given, elapsed, random }: PortOptions): Port {
  const clock = new StoreClock(given, elapsed);
  const mutex = new KeyedMutex(elapsed);
  const running = new Set<Promise<unknown>>();

  /** Keeps track of work, so that the database closes after it. */
  function track<Result>(work: Promise<Result>): Promise<Result> {
    const ended = work.then(nothing, nothing);
    running.add(ended);
    void ended.then(() => running.delete(ended));
    return work;
  }

  const orderedIds = new OrderedIds(() => clock.now(), random);
  const { find, list, count, line, last, waiting } = adapter;
  const reads = { find, list, count, line, last, waiting };

  /** What an operation or a view has from its beginning. It reads from the database at once. */
  function begin(): ViewTx {
    const [now, expiry] = [clock.now(), clock.expiry()];
    return { ...reads, now, expiry, orderedId: () => orderedIds.next() };
  }

  async function runUntilWritten<Result>(
    operation: (tx: Tx) => Promise<Result>,
    { audit: asked = null }: RunOptions,
  ): Promise<Result> {
    for (let runs = 1; ; runs++) {
      const beganAt = elapsed();
      const kept: KeptWrite[] = [];
      const result = await operation({ ...begin(), ...writesTo(kept) });
      const [write] = kept;
      if (!write) return result;
      const audit = write.table in audited && !asked?.isStored ? asked : null;
      const row = audit && { ...audit.row, id: orderedIds.next(), sumName: null };
      if ((await adapter.send({ ...write, audit: row } as Write)) === "done") {
        if (audit) audit.isStored = true;
        return result;
      }
      if (runs === maxRuns) {
        throw new StoreUnavailableError(`gave up after ${maxRuns} conflicts with other writes`);
      }
      const share = (random(1)[0] ?? 0) / 256; // so that two operations in conflict do not meet again
      await pause(share * Math.min((elapsed() - beganAt) * 2, maxPauseMs));
    }
  }

  return {
    run: (operation, options = {}) =>
      track(mutex.run(options.mutex ?? null, () => runUntilWritten(operation, options))),
    read: (view) => track(view(begin())),
    now: () => clock.now(),
    removalTime: () => clock.removalTime(),
    append: (...asked) => track(adapter.append(...asked)),
    removeExpired: (...asked) => track(adapter.removeExpired(...asked)),
    removeOfBusiness: (...asked) => track(adapter.removeOfBusiness(...asked)),
    maintain: () => track(adapter.maintain()),
    ping: () => track(adapter.ping()),
    async close() {
      while (running.size > 0) await Promise.all(running);
      await adapter.close();
    },
  };
}

const nothing = () => {};

type KeptWrite = { [T in TableName]: Omit<Write<T>, "audit"> }[TableName];

/** The write methods of `tx`. They put the write into `kept`, which is sent when the operation ends. */
function writesTo(kept: KeptWrite[]): Pick<Tx, "insert" | "update" | "remove"> {
  const keep = (write: object) => {
    if (kept.length > 0) throw new Error("an operation writes one record");
    kept.push(write as KeptWrite);
  };
  return {
    insert: (table, record) => keep({ kind: "insert", table, record }),
    update(table, before, change) {
      const { version, ...record } = { ...before, ...change };
      keep({ kind: "update", table, before, record });
    },
    remove: (table, before) => keep({ kind: "remove", table, before }),
  };
}
