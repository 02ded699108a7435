import { setTimeout as pause } from "node:timers/promises";
import { randomText, writeNumber } from "../rules/base62.js";
import type { Clock, Random } from "../rules/ports.js";
import { StoreClock } from "./clock.js";
import { RunAgain, StoreUnavailableError } from "./errors.js";
import { KeyedMutex } from "./keyed-mutex.js";
import type {
  Access,
  Adapter,
  KeptWrite,
  PendingAudit,
  Port,
  Reads,
  RunOptions,
  Tx,
  ViewTx,
  Write,
} from "./port.js";
import { audited, type Stored, type TableName, type Tables } from "./tables.js";

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

  let lastId = 0;
  /**
   * An id after all earlier ones of this process, even if the clock is set back. The step is random, so that two ids do not
   * tell how many were made between them.
   */
  function orderedId(): string {
    lastId = Math.max(clock.now() * 1_000, lastId) + 1 + (random(1)[0] ?? 0);
    return writeNumber(Math.floor(lastId), 10) + randomText(random, 14);
  }

  /** What an operation or a view has from its beginning. It reads from the database at once. */
  function begin({ find, list, count, line, last, waiting }: Reads): ViewTx {
    const [now, expiry] = [clock.now(), clock.expiry()];
    return { find, list, count, line, last, waiting, now, expiry, orderedId };
  }

  async function runUntilWritten<Result>(
    operation: (tx: Tx) => Promise<Result>,
    { audit = null, isDurable = true }: RunOptions,
  ): Promise<Result> {
    for (let runs = 0; runs < maxRuns; runs++) {
      const beganAt = elapsed();
      try {
        const ended = await adapter.runOnce((access) => runOn(access, operation, audit), isDurable);
        if (ended?.isAudited && audit) audit.isStored = true;
        if (ended) return ended.result;
      } catch (error) {
        if (!(error instanceof RunAgain)) throw error;
        const share = (random(1)[0] ?? 0) / 256; // so that two operations in conflict do not meet again
        await pause(share * Math.min((elapsed() - beganAt) * 2, maxPauseMs));
      }
    }
    throw new StoreUnavailableError(`gave up after ${maxRuns} conflicts with other writes`);
  }

  /**
   * Runs an operation, and sends what it writes. Null if it wrote something first.
   *
   * @throws RunAgain if another write came first.
   */
  async function runOn<Result>(
    access: Access,
    operation: (tx: Tx) => Promise<Result>,
    asked: PendingAudit | null,
  ): Promise<{ readonly result: Result; readonly isAudited: boolean } | null> {
    const kept: KeptWrite[] = [];
    try {
      const result = await operation({ ...begin(access), ...writesTo(kept) });
      const [write] = kept;
      const audit = write && write.table in audited && !asked?.isStored ? asked : null;
      const row = audit && { ...audit.row, id: orderedId(), sumName: null };
      if (write) await access.send({ ...write, audit: row } as Write);
      return { result, isAudited: audit !== null };
    } catch (error) {
      if (!(error instanceof RunAgain) || !error.first) throw error;
      await access.send({ ...error.first, audit: null } as Write);
      return null;
    }
  }

  return {
    run: (operation, options = {}) => {
      const key = adapter.isSerial ? null : (options.mutex ?? null);
      return track(mutex.run(key, () => runUntilWritten(operation, options)));
    },
    read: (view) => track(view(begin(adapter))),
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

/** The write methods of `tx`. They put the write into `kept`, which is sent when the operation ends. */
function writesTo(kept: KeptWrite[]): Pick<Tx, "insert" | "update" | "updateFirst" | "remove"> {
  const keep = (write: object) => {
    if (kept.length > 0) throw new Error("an operation writes one record");
    kept.push(write as KeptWrite);
  };
  return {
    insert: (table, record) => keep({ kind: "insert", table, record }),
    update: (...asked) => keep(updateOf(...asked)),
    updateFirst(...asked) {
      throw new RunAgain(updateOf(...asked) as KeptWrite);
    },
    remove: (table, before) => keep({ kind: "remove", table, before }),
  };
}

function updateOf<T extends TableName>(table: T, before: Stored<T>, change: Partial<Tables[T]>) {
  const { version, ...record } = { ...before, ...change };
  return { kind: "update", table, before, record };
}
