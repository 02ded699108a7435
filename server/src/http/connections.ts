import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { within } from "../lib/within.js";
import { normalAddress, signInSubject } from "../rules/address.js";
import { whenEnded } from "./response-end.js";

/** The limits of open connections. */
export interface ConnectionBounds {
  /** Open connections in total, without those of trusted proxies. */
  readonly inAll: number;
  /** Open connections of one address. IPv6 addresses count by /64. */
  readonly perAddress: number;
  /** Whether an address is a trusted proxy. Its connections carry many callers, so no limit applies to them. */
  readonly isTrustedProxy: (address: string) => boolean;
}

/** The maximum number of waiting pipelined requests: on one connection, and in total. */
const maxWaiting = { onOne: 31, inAll: 512 };

/**
 * The maximum number of bytes that are sent for pipelined requests. Beyond it, the remaining requests do not start and
 * the connection ends. Otherwise the system's buffers could fill with responses that the client never reads.
 */
const maxPipelinedBytes = 64 * 2 ** 10;

/** How long a client may take to close a connection that the server has ended. */
const maxCloseMs = 5_000;

/** The maximum number of unread response bytes, in total. */
const maxUnreadBytes = 64 * 2 ** 20;

/** How long a client may take to read a response after it is complete. */
const maxReadMs = 60_000;

/** How long a connection must be idle before it may be ended to make room for a newer one. */
const minQuietMs = 5_000;

/** A request with its response. */
interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

/** The state of an open connection. */
interface Connection {
  readonly socket: Socket;
  /** The subject that it counts for; null for a trusted proxy. */
  readonly subject: string | null;
  /** The running request, until its response has been read. */
  current: Exchange | null;
  /** The request that started last. */
  last: IncomingMessage | null;
  /** The requests that arrived while it was running, in order of arrival. */
  waiting: Exchange[];
  /** The value of `socket.bytesWritten` when the last request arrived that did not have to wait. */
  bytesBefore: number;
  /** The time of its last event (opened, request started or ended), by `performance.now()`. */
  quietSince: number;
  /** The bytes of the current response that were unread when it was complete. */
  unreadBytes: number;
}

/**
 * The open connections of a server, and their limits. The requests of a connection run one at a time; the others wait
 * before the pipeline. A connection that exceeds a limit is ended. If there are too many connections, the one that has
 * been idle for longest is ended.
 */
export class Connections {
  readonly #bounds: ConnectionBounds;
  readonly #handle: RequestListener;
  /** All connections. */
  readonly #open = new Map<Socket, Connection>();
  /** The connections that the limits apply to, longest idle first. */
  readonly #bounded = new Set<Connection>();
  readonly #countOf = new Map<string, number>();
  /** Connections with a complete response that is not read, oldest first. */
  readonly #unread = new Set<Connection>();
  /** The number of running requests. */
  #underWay = 0;
  #waiting = 0;
  #unreadBytes = 0;
  #isStopping = false;
  #onIdle: (() => void) | null = null;

  /** `handle` responds to one request. It is called for the next request of a connection after the last one has ended. */
  constructor(bounds: ConnectionBounds, handle: RequestListener) {
    this.#bounds = bounds;
    this.#handle = handle;
  }

  /** Handles the connections and requests of a server. */
  attach(server: Server): void {
    server.on("connection", (socket: Socket) => this.#opened(socket));
    const request: RequestListener = (req, res) => this.#arrived(req, res);
    for (const event of ["request", "checkContinue", "checkExpectation"]) server.on(event, request);
  }

  /** The number of open connections. */
  get count(): number {
    return this.#open.size;
  }

  /** The number of running requests. */
  get requestsUnderWay(): number {
    return this.#underWay;
  }

  /** The running request of a connection, and the request that started last. */
  stateOf(socket: Socket): { current: Exchange | null; last: IncomingMessage | null } {
    return this.#open.get(socket) ?? { current: null, last: null };
  }

  /** From now on each response ends its connection, also those of the running requests. */
  endAfterResponses(): void {
    this.#isStopping = true;
    for (const { current } of this.#open.values()) {
      if (current) current.res.shouldKeepAlive = false;
    }
  }

  /**
   * Ends the connections that never carried a request, which clients open in advance. Node counts them as busy and
   * would wait for them when the server closes.
   */
  endUnused(): void {
    for (const { socket, last } of this.#open.values()) if (last === null) socket.destroy();
  }

  /**
   * Resolves when no request is running, or after `limitMs`. A request may continue after its connection is closed, and
   * must end before the store is closed.
   */
  async allAnswered(limitMs: number): Promise<void> {
    if (this.#underWay === 0) return;
    const idle = new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
    await within(limitMs, idle, undefined);
  }

  #opened(socket: Socket): void {
    const address = socket.remoteAddress ?? "";
    const subject = this.#bounds.isTrustedProxy(address)
      ? null
      : signInSubject(normalAddress(address));
    const connection: Connection = {
      socket,
      subject,
      current: null,
      last: null,
      waiting: [],
      bytesBefore: 0,
      quietSince: performance.now(),
      unreadBytes: 0,
    };
    this.#open.set(socket, connection);
    socket.once("close", () => this.#closed(connection));
    if (subject !== null) this.#bound(connection, subject);
  }

  #bound(connection: Connection, subject: string): void {
    const count = (this.#countOf.get(subject) ?? 0) + 1;
    this.#countOf.set(subject, count);
    this.#bounded.add(connection);
    if (count > this.#bounds.perAddress) this.#makeRoom(connection, subject);
    else if (this.#bounded.size > this.#bounds.inAll) this.#makeRoom(connection, null);
  }

  #closed(connection: Connection): void {
    const { socket, subject } = connection;
    this.#open.delete(socket);
    if (subject === null) return;
    this.#bounded.delete(connection);
    const count = (this.#countOf.get(subject) ?? 1) - 1;
    if (count > 0) this.#countOf.set(subject, count);
    else this.#countOf.delete(subject);
  }

  /**
   * Ends the connection that has been idle for longest, of one subject or (null) of all. If every other connection is
   * busy, ends the newest. So active connections stay, and a client that holds idle ones loses them.
   */
  #makeRoom(newest: Connection, subject: string | null): void {
    const quietBefore = performance.now() - minQuietMs;
    for (const connection of this.#bounded) {
      if (connection.quietSince > quietBefore) break;
      if (subject !== null && connection.subject !== subject) continue;
      if (isBusy(connection) || connection.socket.destroyed) continue;
      end(connection.socket);
      return;
    }
    end(newest.socket);
  }

  #arrived(req: IncomingMessage, res: ServerResponse): void {
    const connection = this.#open.get(req.socket);
    if (!connection || !req.socket.writable) return;
    if (connection.current === null) {
      connection.bytesBefore = req.socket.bytesWritten;
      this.#begin(connection, { req, res });
      return;
    }
    if (connection.waiting.length >= maxWaiting.onOne || this.#waiting >= maxWaiting.inAll) {
      end(req.socket);
      this.#drop(connection);
      return;
    }
    connection.waiting.push({ req, res });
    this.#waiting++;
  }

  #begin(connection: Connection, request: Exchange): void {
    const { req, res } = request;
    connection.current = request;
    connection.last = req;
    this.#used(connection);
    this.#underWay++;
    if (this.#isStopping) res.shouldKeepAlive = false;
    whenEnded(res, () => this.#responded(connection, res));
    res.once("close", () => this.#goOn(connection));
    this.#handle(req, res);
  }

  /** Counts the unread bytes of a response that is complete. */
  #responded(connection: Connection, res: ServerResponse): void {
    if (--this.#underWay === 0) this.#onIdle?.();
    const { socket, current } = connection;
    if (socket.writableLength === 0 || socket.destroyed || current?.res !== res) return;
    connection.unreadBytes = socket.writableLength;
    this.#unreadBytes += connection.unreadBytes;
    this.#unread.add(connection);
    const limit = setTimeout(() => end(socket), maxReadMs);
    limit.unref();
    res.once("close", () => clearTimeout(limit));
    for (const oldest of this.#unread) {
      if (this.#unreadBytes <= maxUnreadBytes) break;
      this.#read(oldest);
      end(oldest.socket);
    }
  }

  /** Ends the count of unread bytes: the response has been read or dropped. */
  #read(connection: Connection): void {
    if (!this.#unread.delete(connection)) return;
    this.#unreadBytes -= connection.unreadBytes;
    connection.unreadBytes = 0;
  }

  /** Starts the next request of a connection after the current one has ended. */
  #goOn(connection: Connection): void {
    this.#read(connection);
    connection.current = null;
    this.#used(connection);
    const { socket, bytesBefore } = connection;
    if (!socket.writable) this.#drop(connection);
    const next = connection.waiting.shift();
    if (!next) return;
    this.#waiting--;
    if (socket.bytesWritten - bytesBefore > maxPipelinedBytes) {
      this.#drop(connection);
      socket.end();
      setTimeout(() => end(socket), maxCloseMs).unref();
      return;
    }
    this.#begin(connection, next);
  }

  /** Drops the waiting requests of a connection that ends. */
  #drop(connection: Connection): void {
    this.#waiting -= connection.waiting.length;
    connection.waiting = [];
  }

  #used(connection: Connection): void {
    connection.quietSince = performance.now();
    if (this.#bounded.delete(connection)) this.#bounded.add(connection);
  }
}

/** Whether a request of this connection has arrived completely and is running. */
function isBusy({ current }: Connection): boolean {
  return current?.req.complete === true && !current.res.writableEnded;
}

/** Resets a connection, which frees the system's buffers of unread responses. */
function end(socket: Socket): void {
  const stream: Duplex = socket; // a stream in memory in the test kit
  if (stream instanceof Socket) stream.resetAndDestroy();
  else stream.destroy();
}
