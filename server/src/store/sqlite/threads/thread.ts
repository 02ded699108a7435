import { Worker } from "node:worker_threads";
import { InFlight } from "../../../lib/in-flight.js";
import type { Clock } from "../../../rules/ports.js";
import {
  type Call,
  type Calls,
  type Reply,
  receivedError,
  receivedReplies,
  type SentReplies,
} from "./messages.js";

/** The options of a new thread. */
export interface ThreadOptions {
  /** Path of the database. */
  readonly path: string;
  /** Whether to create the file if it does not exist. */
  readonly create: boolean;
}

/** Clocks that replace the system's. */
export interface Clocks {
  readonly clock: Clock;
  readonly elapsed: () => number;
}

interface Pending {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

const program = new URL("./store-thread.js", import.meta.url);

/**
 * A thread with its own connection. The calls of one turn of the event loop are sent in one message, because
 * a message costs more than a call. An error outside an operation ends the process, as it would without
 * threads.
 */
export class Thread {
  readonly #worker: Worker;
  readonly #clocks: Clocks | null;
  /** The calls that wait for a reply. The id of a call is its index. */
  readonly #pending = new InFlight<Pending>();
  #calls: Call[] = [];
  /** Resolves when the thread has ended. It then accepts no calls. */
  readonly #ended: Promise<void>;
  #hasEnded = false;

  /** `clocks` is null if the thread reads the system's clocks itself. */
  private constructor(worker: Worker, clocks: Clocks | null) {
    this.#worker = worker;
    this.#clocks = clocks;
    worker.on("message", (sent: SentReplies) => this.#receive(receivedReplies(sent)));
    this.#ended = new Promise((resolve) => {
      worker.once("exit", () => {
        this.#end();
        resolve();
      });
    });
    worker.unref();
  }

  /** Starts a thread and waits until its connection is open. Rejects if the database cannot be opened. */
  static async start(
    name: string,
    workerData: ThreadOptions,
    clocks: Clocks | null,
  ): Promise<Thread> {
    const worker = new Worker(program, { name, workerData, execArgv: [] });
    const thread = new Thread(worker, clocks);
    try {
      await thread.call("open", []);
      return thread;
    } catch (error) {
      await worker.terminate();
      throw error;
    }
  }

  /** Runs an operation of the store, such as `entries.get`. */
  call(operation: string, given: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#hasEnded) throw endedError();
      const id = this.#pending.add({ resolve, reject });
      if (this.#pending.size === 1) this.#worker.ref();
      if (this.#calls.push({ id, operation, given }) === 1) setImmediate(() => this.#send());
    });
  }

  /** Closes the connection after all earlier calls, and ends the thread. */
  async close(): Promise<void> {
    try {
      await this.call("close", []);
    } finally {
      this.#worker.ref(); // otherwise the process may end before the thread
      await this.#ended;
    }
  }

  #send(): void {
    const calls = this.#calls;
    this.#calls = [];
    const clocks = this.#clocks;
    const times = clocks && { now: clocks.clock(), elapsed: clocks.elapsed() };
    const message: Calls = { calls, times };
    this.#worker.postMessage(JSON.stringify(message));
  }

  #receive(replies: readonly Reply[]): void {
    for (const reply of replies) {
      const pending = this.#pending.take(reply.id);
      if ("error" in reply) pending?.reject(receivedError(reply.error));
      else pending?.resolve(reply.result);
    }
    if (this.#pending.size === 0) this.#worker.unref();
  }

  #end(): void {
    this.#hasEnded = true;
    for (const { reject } of this.#pending.all()) reject(endedError());
  }
}

const endedError = () => new Error("the thread of the store has ended");
