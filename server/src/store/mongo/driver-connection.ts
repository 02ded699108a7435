import { createRequire } from "node:module";
import type { Socket } from "node:net";

/** What is needed here of the driver's own connection. */
type Constructor = new (stream: Socket, options: unknown) => object;

// The driver that mongoose uses, wherever it is installed. The class is not among its exports.
const driver = createRequire(createRequire(import.meta.url).resolve("mongoose"));
const { Connection } = driver("mongodb/lib/cmap/connection.js") as { Connection: Constructor };

/**
 * The driver's connection, with a way out where it has none. For a command that cannot be written at
 * once it waits until the socket drains, which a socket that closes never does: the request would wait
 * for ever, and the monitor, which uses connections too, would never look for the server again. That
 * happens when a server goes and all its connections close within one turn of the event loop.
 */
export class DriverConnection extends Connection {
  constructor(stream: Socket, options: unknown) {
    super(stream, options);
    const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
    stream.write = (...args: unknown[]) => {
      if (stream.destroyed) throw new Error("the socket is closed");
      return write(...args);
    };
    stream.once("close", () => stream.emit("drain")); // by now the connection knows that it is closed
  }
}
