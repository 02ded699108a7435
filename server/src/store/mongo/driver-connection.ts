import { createRequire } from "node:module";
import type { Socket } from "node:net";

/** What is needed here of the driver's own connection. */
type Constructor = new (stream: Socket, options: unknown) => object;

// The driver that mongoose uses, wherever it is installed. The class is not among its exports.
const driver = createRequire(createRequire(import.meta.url).resolve("mongoose"));
const { Connection } = driver("mongodb/lib/cmap/connection.js") as { Connection: Constructor };

/**
 * The driver's connection, with two repairs for a server that closes many connections at once, as a
 * primary does that steps down.
 *
 * For a command that cannot be written at once the driver waits until the socket drains, which a socket
 * that closes never does: the request would wait for ever, and the monitor, which uses connections too,
 * would never look for the server again. And where the server has ended the connection but it is not closed
 * yet, Node fails the write with an error that the driver does not take for one of the network: it would
 * not send the command again. A write that throws is one of the network.
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
      stream.write = refuse; // in the place of Node's own, which it has just put there
    });
    stream.once("close", () => stream.emit("drain")); // by now the connection knows that it is closed
  }
}
