import { createRequire } from "node:module";
import type { Socket } from "node:net";

/** The parts of the driver's connection that are used here. */
type Constructor = new (stream: Socket, options: unknown) => object;

// The driver that mongoose uses, at any install location. It does not export the class.
const driver = createRequire(createRequire(import.meta.url).resolve("mongoose"));
const { Connection } = driver("mongodb/lib/cmap/connection.js") as { Connection: Constructor };

/**
 * The driver's connection with two fixes for a server that closes many connections at once, such as a primary
 * that steps down.
 *
 * First: if a command cannot be written at once, the driver waits for the socket to drain. A socket that
 * closes never drains, so the request would wait forever. The monitor also uses connections and would never
 * check the server again.
 *
 * Second: if the server has ended a connection that is not closed yet, Node fails the write with an error
 * that the driver does not treat as a network error, so it would not retry the command. Here a write that
 * throws is a network error.
 */
export class DriverConnection extends Connection {
  constructor(stream: Socket, options: unknown) {
    super(stream, options);
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
}
