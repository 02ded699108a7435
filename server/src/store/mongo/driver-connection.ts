import { createRequire } from "node:module";
import type { Socket } from "node:net";
import { mongo } from "mongoose";
import { repeatConflict } from "./write-conflict.js";

/** The parts of the driver's connection that are used here. */
interface DriverOptions {
  readonly socketTimeoutMS?: number;
}
interface BareConnection {
  command(ns: unknown, command: object, ...rest: unknown[]): Promise<unknown>;
}
type Constructor = new (stream: Socket, options: DriverOptions) => BareConnection;

/** The share of the client's time limit after which the server ends a command. */
const serverShare = 0.9;

/** The commands that the server may end. It accepts no limit for the others. */
const limited = new Set(["find", "aggregate", "insert", "update", "delete", "findAndModify"]);

// The driver that mongoose uses, at any install location. It does not export the class.
const driver = createRequire(createRequire(import.meta.url).resolve("mongoose"));
const { Connection } = driver("mongodb/lib/cmap/connection.js") as { Connection: Constructor };

/**
 * The driver's connection with a limit and three fixes. It sends a write that conflicts again.
 * `driver-connection.test.ts` names the version of the driver for which this was verified, because the class
 * is private.
 *
 * The limit: the server ends a command shortly before the client gives up on it. Otherwise it would still work
 * on commands for which no request waits any more, when it is already slow.
 *
 * The fixes are for a server that closes many connections at once, such as a primary that steps down. First:
 * if a command cannot be written at once, the driver waits for the socket to drain. A socket that closes never
 * drains, so the request would wait forever. The monitor also uses connections and would never check the
 * server again.
 *
 * Second: if the server has ended a connection that is not closed yet, Node fails the write with an error
 * that the driver does not treat as a network error, so it would not retry the command. Here a write that
 * throws is a network error.
 *
 * Third: the driver labels a network error as retryable only while the connection belongs to the current
 * generation of its pool. The first connection that fails ends that generation, so the writes on the others
 * would not be retried. Here every network error has the label. The driver reads it only for a command that
 * may be retried.
 */
export class DriverConnection extends Connection {
  readonly #maxTimeMS: number;

  constructor(stream: Socket, options: DriverOptions) {
    super(stream, options);
    this.#maxTimeMS = Math.floor((options.socketTimeoutMS ?? 0) * serverShare);
    const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
    const refuse = (): never => {
      throw new Error("the socket is closed");
    };
    stream.write = (...args: unknown[]) => (stream.destroyed ? refuse() : write(...args));
    stream.once("end", () => {
      stream.write = refuse; // replaces the function that Node has just set
    });
    stream.once("close", () => stream.emit("drain")); // at this point the connection knows that it is closed
  }
  override command(ns: unknown, command: object, ...rest: unknown[]): Promise<unknown> {
    const [name = ""] = Object.keys(command);
    const isLimited = this.#maxTimeMS > 0 && limited.has(name) && !("maxTimeMS" in command);
    const sent = isLimited ? { ...command, maxTimeMS: this.#maxTimeMS } : command;
    return repeatConflict(sent, () => super.command(ns, sent, ...rest)).catch((error) => {
      // The driver passes on the cause of an aborted read.
      for (const fault of [error, error?.cause]) {
        if (fault instanceof mongo.MongoNetworkError) fault.addErrorLabel("RetryableWriteError");
      }
      throw error;
    });
  }
}
