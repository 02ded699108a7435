import { once } from "node:events";
import type { Server } from "node:http";
import { Server as NetServer } from "node:net";
import { setImmediate } from "node:timers/promises";
import type { Logger } from "pino";

/** Where a server listens. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** The URL of a server on its own machine, without a slash at the end. */
export function listeningUrl({ host }: Pick<ListenAddress, "host">, port: number): string {
  return `http://${hostForUrl(host)}:${port}`;
}

function hostForUrl(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}

/** The maximum number of connections that the system queues before they are accepted. Further clients retry after a second. */
const backlog = 1_024;

/** Starts to listen. Rejects with the error of `listen`, for example `EADDRINUSE`. */
export async function listen(server: Server, { host, port }: ListenAddress): Promise<void> {
  await once(server.listen(port, host, backlog), "listening");
}

/** How long a closing server waits. */
export interface CloseTimeouts {
  /** How long a connection without a request may still send one, in milliseconds. */
  readonly lingerMs: number;
  /** How long running requests may take, in milliseconds. */
  readonly maxRequestMs: number;
}

/** The limit of {@link acceptWaiting}, in milliseconds, if connections never stop arriving. */
const maxAcceptMs = 1_000;

/** A round of the event loop that ends within this time leaves almost no time for a new connection. */
const shortRoundMs = 1;

/**
 * Accepts the connections that the system has queued. Closing the server would reset them. Each round of
 * the event loop accepts one, so all are accepted after a short round without a new connection. Close the
 * server immediately afterwards.
 */
export async function acceptWaiting(server: Server): Promise<void> {
  let connected = false;
  const note = () => {
    connected = true;
  };
  server.on("connection", note);
  await setImmediate(); // ends the current round
  const began = performance.now();
  for (let last = began; ; ) {
    connected = false;
    await setImmediate();
    const now = performance.now();
    if ((!connected && now - last < shortRoundMs) || now - began > maxAcceptMs) break;
    last = now;
  }
  server.off("connection", note);
}

/**
 * Closes a server without breaking off a running request. New connections are refused immediately, so their
 * clients know that nothing was sent. A request may still be on its way on an open connection, so a
 * connection without a request stays open for `lingerMs`. `endUnused` ends the connections that never
 * carried a request.
 */
export async function closeServer(
  server: Server,
  endUnused: () => void,
  { lingerMs, maxRequestMs }: CloseTimeouts,
  logger: Logger,
): Promise<void> {
  const closed = new Promise((resolve) => {
    NetServer.prototype.close.call(server, resolve); // http's own close also ends idle connections
  });
  const limit = setTimeout(() => {
    logger.warn("the connections of requests that took longer than SHUTDOWN_SECONDS are closed");
    server.closeAllConnections();
  }, maxRequestMs);
  const endIdle = () => {
    endUnused();
    server.close(); // ends idle connections and stops the timer that checks them
  };
  const linger = setTimeout(
    () => setImmediate().then(endIdle), // reads what has arrived meanwhile first
    Math.min(lingerMs, maxRequestMs),
  );
  await closed;
  clearTimeout(limit);
  clearTimeout(linger);
  endIdle();
}
