import type { Server } from "node:http";
import { Server as NetServer } from "node:net";
import { setImmediate } from "node:timers/promises";
import type { Logger } from "pino";

/** How much patience a server has when it ends. */
export interface Patience {
  /** How long a connection without a request may still bring one, in milliseconds. */
  readonly lingerMs: number;
  /** How long requests under way may take, in milliseconds. */
  readonly longestMs: number;
}

/**
 * Ends a server without breaking off a request that is on its way. From the first moment nobody new can
 * connect: they are refused, and so know that they sent nothing. A connection that is there may have a
 * request on it that has not come yet, so none is ended before `lingerMs`, but by the answer to its next
 * request. `endUnused` ends those on which no request ever came.
 */
export async function closeServer(
  server: Server,
  endUnused: () => void,
  { lingerMs, longestMs }: Patience,
  logger: Logger,
): Promise<void> {
  await takeIn(server);
  const limit = setTimeout(() => {
    logger.warn("requests still under way are cut: they took longer than SHUTDOWN_SECONDS");
    server.closeAllConnections();
  }, longestMs);
  const closed = new Promise((resolve) => {
    NetServer.prototype.close.call(server, resolve); // the one of http would end idle connections too
  });
  const endIdle = () => {
    endUnused();
    server.close(); // the rest of it: idle connections, and the timer that looks at them
  };
  const linger = setTimeout(endIdle, Math.min(lingerMs, longestMs));
  await closed;
  clearTimeout(limit);
  clearTimeout(linger);
  endIdle();
}

/** Rounds of the event loop that {@link takeIn} waits at most, however many come. */
const mostRounds = 1_000;

/** Accepts whoever has connected already: closing would reset those who wait for it. */
async function takeIn(server: Server): Promise<void> {
  let came = true;
  const note = () => {
    came = true;
  };
  server.on("connection", note);
  for (let round = 0; came && round < mostRounds; round++) {
    came = false;
    await setImmediate(); // ends the present round
    await setImmediate(); // one whole round, in which one connection is accepted
  }
  server.off("connection", note);
}
