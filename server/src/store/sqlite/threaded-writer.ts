import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { StoreUnavailableError } from "../errors.js";
import type { Task } from "./commands.js";
import type { TaskWriter } from "./writer.js";

/*
 * Messages between the threads are JSON text, which is cheaper than the copies of objects that `postMessage` makes.
 */

export interface SentTask {
  readonly id: number;
  /** Null: closes the database, and ends the thread. */
  readonly task: Task | null;
}

export type SentReply =
  | { readonly id: number; readonly changes: number | null }
  | { readonly id: number; readonly error: SentError };

interface SentError {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
}

interface Pending {
  readonly resolve: (changes: number | null) => void;
  readonly reject: (error: Error) => void;
}

const program = new URL("./writer-thread.js", import.meta.url);

/**
 * A writer in a thread of its own, so that the event loop never waits for the disk. An error outside of a task ends
 * the process, as it would without a thread.
 */
export class ThreadedWriter implements TaskWriter {
  readonly #worker: Worker;
  /** The tasks that wait for a reply, by id. */
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  readonly #ended: Promise<unknown>;
  #hasEnded = false;
  #unsent: SentTask[] = [];

  private constructor(worker: Worker) {
    this.#worker = worker;
    worker.on("message", (replies: string) => this.#receive(JSON.parse(replies)));
    this.#ended = once(worker, "exit").then(() => this.#end());
    worker.unref();
  }

  /** Starts the thread. Rejects if it cannot open the database. */
  static async start(path: string): Promise<ThreadedWriter> {
    const worker = new Worker(program, { name: "writer", workerData: path, execArgv: [] });
    await once(worker, "message");
    return new ThreadedWriter(worker);
  }

  write(task: Task): Promise<number | null> {
    return this.#call(task);
  }

  async close(): Promise<void> {
    try {
      await this.#call(null);
    } finally {
      this.#worker.ref(); // otherwise the process may end before the thread
      await this.#ended;
    }
  }

  #call(task: Task | null): Promise<number | null> {
    return new Promise((resolve, reject) => {
      if (this.#hasEnded) throw endedError();
      const id = ++this.#lastId;
      this.#pending.set(id, { resolve, reject });
      if (this.#pending.size === 1) this.#worker.ref();
      // a message costs more than a task, so those of one turn of the event loop share one
      if (this.#unsent.push({ id, task }) === 1) setImmediate(() => this.#send());
    });
  }

  #send(): void {
    this.#worker.postMessage(JSON.stringify(this.#unsent));
    this.#unsent = [];
  }

  #receive(replies: readonly SentReply[]): void {
    for (const reply of replies) {
      const pending = this.#pending.get(reply.id);
      this.#pending.delete(reply.id);
      if ("error" in reply) pending?.reject(received(reply.error));
      else pending?.resolve(reply.changes);
    }
    if (this.#pending.size === 0) this.#worker.unref();
  }

  #end(): void {
    this.#hasEnded = true;
    for (const { reject } of this.#pending.values()) reject(endedError());
  }
}

/** The error that the thread sent, with its class if it is an error of the port. */
function received({ name, message, stack }: SentError): Error {
  const Class = name === StoreUnavailableError.name ? StoreUnavailableError : Error;
  return Object.assign(new Class(message), { stack });
}

const endedError = () => new StoreUnavailableError("the thread that writes has ended");
