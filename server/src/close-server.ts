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

/** How long {@link acceptWaiting} goes on at most, however many come. */
const longestAcceptMs = 1_000;

/** A round of the event loop that is over so soon leaves hardly time for anybody to connect meanwhile. */
const shortRoundMs = 1;

/**
 * Accepts whoever has connected already; closing would reset those who wait for it. Each round of the
 * event loop accepts one, so it is done after a short round in which nobody came. Close at once then.
 */
export async function acceptWaiting(server: Server): Promise<void> {
  let came = false;
  const note = () => {
    came = true;
  };
  server.on("connection", note);
  await setImmediate(); // ends the present round
  const began = performance.now();
  for (let last = began; ; ) {
    came = false;
    await setImmediate();
    const now = performance.now();
    if ((!came && now - last < shortRoundMs) || now - began > longestAcceptMs) break;
    last = now;
  }
  server.off("connection", note);
}

/**
 * Ends a server without breaking off a request that is on its way. At once nobody new can connect: they
 * are refused, and so know that they sent nothing. A connection that is there may have a request on it that
 * has not come yet, so none without one is ended before `lingerMs`. `endUnused` ends those on which no
 * request ever came.
 */
export async function closeServer(
  server: Server,
  endUnused: () => void,
  { lingerMs, longestMs }: Patience,
  logger: Logger,
): Promise<void> {
  const closed = new Promise((resolve) => {
    NetServer.prototype.close.call(server, resolve); // the one of http would end idle connections too
  });
  const limit = setTimeout(() => {
    logger.warn("requests still under way are cut: they took longer than SHUTDOWN_SECONDS");
    server.closeAllConnections();
  }, longestMs);
  const endIdle = () => {
    endUnused();
    server.close(); // the rest of it: idle connections, and the timer that looks at them
  };
  const linger = setTimeout(
    () => setImmediate().then(endIdle), // after what has come meanwhile was read
    Math.min(lingerMs, longestMs),
  );
  await closed;
  clearTimeout(limit);
  clearTimeout(linger);
  endIdle();
}
