import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { type Store, storeOn } from "./operations/store.js";
import type { AuditRow } from "./rules/records.js";
import { StaleError } from "./rules/stale.js";
import { StoreOpenError, StoreUnavailableError } from "./store/errors.js";
import type { PendingAudit, Port } from "./store/port.js";

/** A call of an operation in the thread. */
export interface SentCall {
  readonly id: number;
  /** Such as `entries.create`. */
  readonly name: string;
  readonly args: readonly unknown[];
  /** Stored with what the operation writes; null for none. */
  readonly audit: AuditRow | null;
}

/** `name`: that of the error. A message between threads loses it, and the class of the error. */
export type SentReply = { readonly id: number } & (
  | { readonly result: unknown; readonly isAudited: boolean }
  | { readonly error: Error; readonly name: string }
);

interface Pending {
  readonly audit: PendingAudit | null;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

const program = new URL("./store-thread.js", import.meta.url);

/**
 * The store of a SQLite file whose operations run in a thread of their own, so that the event loop never waits for the
 * disk. `port`: the database of the file in this thread, for views. It is closed if the other thread cannot open the file.
 */
export async function threadedStore(port: Port, databaseUrl: string): Promise<Store> {
  const thread = await StoreThread.start(databaseUrl).catch(async (error) => {
    await port.close();
    throw error;
  });
  return {
    ...storeOn(port, { call: (...asked) => thread.call(...asked) }),
    async close() {
      try {
        await thread.close();
      } finally {
        await port.close();
      }
    },
  };
}

/** The thread. An error outside of an operation ends the process, as it would without a thread. */
class StoreThread {
  readonly #worker: Worker;
  /** The calls that wait for a reply, by id. */
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  readonly #ended: Promise<unknown>;
  #hasEnded = false;
  #unsent: SentCall[] = [];

  private constructor(worker: Worker) {
    this.#worker = worker;
    worker.on("message", (replies: readonly SentReply[]) => this.#receive(replies));
    this.#ended = once(worker, "exit").then(() => this.#end());
    worker.unref();
  }

  /** Starts the thread. Rejects if it cannot open the database. */
  static async start(databaseUrl: string): Promise<StoreThread> {
    const worker = new Worker(program, { name: "store", workerData: databaseUrl, execArgv: [] });
    await once(worker, "message").catch((error) => {
      throw received(error, error.name);
    });
    return new StoreThread(worker);
  }

  call<Result>(
    name: string,
    args: readonly unknown[] = [],
    audit: PendingAudit | null = null,
  ): Promise<Result> {
    return new Promise<never>((resolve, reject) => {
      if (this.#hasEnded) throw endedError();
      const id = ++this.#lastId;
      this.#pending.set(id, { audit, resolve: resolve as Pending["resolve"], reject });
      if (this.#pending.size === 1) this.#worker.ref();
      const row = audit?.isStored ? null : (audit?.row ?? null);
      // a message costs more than an operation, so those of one turn of the event loop share one
      if (this.#unsent.push({ id, name, args, audit: row }) === 1) setImmediate(() => this.#send());
    });
  }

  async close(): Promise<void> {
    try {
      await this.call("close");
    } finally {
      this.#worker.ref(); // otherwise the process may end before the thread
      await this.#ended;
    }
  }

  #send(): void {
    this.#worker.postMessage(this.#unsent);
    this.#unsent = [];
  }

  #receive(replies: readonly SentReply[]): void {
    for (const reply of replies) {
      const pending = this.#pending.get(reply.id);
      this.#pending.delete(reply.id);
      if ("error" in reply) pending?.reject(received(reply.error, reply.name));
      else {
        if (reply.isAudited && pending?.audit) pending.audit.isStored = true;
        pending?.resolve(reply.result);
      }
    }
    if (this.#pending.size === 0) this.#worker.unref();
  }

  #end(): void {
    this.#hasEnded = true;
    for (const { reject } of this.#pending.values()) reject(endedError());
  }
}

/** The errors that callers know by their class. */
const errorClasses = { StaleError, StoreOpenError, StoreUnavailableError } as const;

/** The error of the thread, which has its message, its stack and its cause. */
function received(error: Error, name: string): Error {
  const { message, stack = "", cause } = error;
  const known = Object.entries(errorClasses).find(([known]) => known === name);
  return Object.assign(known ? new known[1](message, { cause }) : error, { name, stack });
}

const endedError = () => new StoreUnavailableError("the thread of the store has ended");
