import type { Server } from "node:http";
import type { Socket } from "node:net";

/**
 * Connections on which no request has come yet, as pools open them in advance. Node counts them as busy
 * and would wait for them when the server closes.
 */
export class UnusedConnections {
  readonly #sockets = new Set<Socket>();

  constructor(server: Server) {
    server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
    for (const event of ["request", "checkContinue", "checkExpectation"]) {
      server.prependListener(event, ({ socket }: { socket: Socket }) =>
        this.#sockets.delete(socket),
      );
    }
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
