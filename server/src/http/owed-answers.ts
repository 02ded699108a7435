import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** How many answers a connection may be owed. Clients ask for one at a time, or for a few. */
export const mostOwed = 32;

/**
 * The answers that each connection is owed: of requests that came on it, and are not through. Node takes
 * as many as are sent at once, and keeps the answers of whoever does not read them.
 */
export class OwedAnswers {
  readonly #owed = new WeakMap<Socket, Set<ServerResponse>>();

  /** Notes a request. False where its connection asks for more than it may; then it is ended. */
  begin({ socket }: IncomingMessage, res: ServerResponse): boolean {
    const owed = this.#of(socket);
    if (owed.size >= mostOwed) socket.destroy();
    if (socket.destroyed) return false;
    owed.add(res);
    res.once("close", () => owed.delete(res));
    return true;
  }

  #of(socket: Socket): Set<ServerResponse> {
    const known = this.#owed.get(socket);
    if (known) return known;
    const owed = new Set<ServerResponse>();
    this.#owed.set(socket, owed);
    socket.once("close", () => tellUnheard(owed));
    return owed;
  }
}

/** Node tells the answer that has the connection when that is gone. Those in line behind it never hear of it. */
function tellUnheard(owed: ReadonlySet<ServerResponse>): void {
  for (const res of owed) if (res.socket === null) res.emit("close");
}
