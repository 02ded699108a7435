import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { normalAddress, signInSubject } from "../rules/address.js";
import type { FairShare } from "./fair-share.js";

/** How many connections may be open. */
export interface ConnectionBounds {
  /** Open connections, those of trusted proxies apart. */
  readonly inAll: number;
  /** Open connections of one address. IPv6 addresses count by /64. */
  readonly perAddress: number;
  /** Whether a proxy is trusted: its connections carry many callers, so neither bound applies to them. */
  readonly isTrustedProxy: (address: string) => boolean;
}

/** How many requests may wait behind the one that is being answered: on one connection, and in all. */
const mostWaiting = { onOne: 31, inAll: 512 };

/**
 * How many bytes may be sent in answer to requests that a client sent without reading. What it sent beyond them is
 * not begun, and the connection ends. Else the system's buffers would fill with answers that are never read.
 */
const mostPipelinedBytes = 64 * 2 ** 10;

/** How long a connection that was ended may take to be closed by its client. */
const longestCloseMs = 5_000;

/** How many bytes of answers may wait to be read, in all. */
const mostUnreadBytes = 64 * 2 ** 20;

/** How long an answer may take to be read once it is complete. */
const longestReadMs = 60_000;

/** How long a connection is left alone before it may be ended to make room for a newer one. */
const leastQuietMs = 5_000;

/** A request that has arrived and is not being answered yet. */
interface Waiting {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

/** What is known of an open connection. */
interface Connection {
  readonly socket: Socket;
  /** The subject that it counts for; null for a trusted proxy. */
  readonly subject: string | null;
  /** The request that is being answered, until its answer was read. */
  current: Waiting | null;
  /** The request that was begun last. */
  last: IncomingMessage | null;
  /** Requests that arrived behind it, in their order. */
  waiting: Waiting[];
  /** Whether requests arrived while it was being answered. */
  isPipelining: boolean;
  /** What `socket.bytesWritten` was when a request arrived that did not have to wait. */
  bytesBefore: number;
  /** When it was opened, or its last request began or was answered; by `performance.now()`. */
  quietSince: number;
  /** Bytes of the current answer that were not read when it was complete. */
  unreadBytes: number;
}

/**
 * The open connections of a server, and what each may hold. A connection is answered one request at a time;
 * requests that arrive meanwhile wait, and no step of the pipeline has seen them. A connection that exceeds a
 * bound is ended. Too many connections end the one that has been quiet for longest.
 */
export class Connections {
  readonly #bounds: ConnectionBounds;
  readonly #handle: RequestListener;
  /** All connections. */
  readonly #open = new Map<Socket, Connection>();
  /** Those that the bounds apply to; the one that has been quiet for longest comes first. */
  readonly #bounded = new Set<Connection>();
  readonly #countOf = new Map<string, number>();
  /** Connections whose answer is complete and not read; the oldest first. */
  readonly #unread = new Set<Connection>();
  /** Requests that are being answered. Counted, since a Set of them would keep them from being collected young. */
  #underWay = 0;
  /** Which connection is read from next, of those that are new or send many requests at once. */
  readonly #reads: FairShare;
  #waiting = 0;
  #unreadBytes = 0;
  #idleListeners: (() => void)[] = [];

  /** `handle` answers one request. It is called for a connection's next request once the last one is answered. */
  constructor(bounds: ConnectionBounds, reads: FairShare, handle: RequestListener) {
    this.#bounds = bounds;
    this.#reads = reads;
    this.#handle = handle;
  }

  /** Takes the connections of a server, and their requests. */
  attach(server: Server): void {
    Object.assign(server, { pauseOnConnect: true }); // an option of net.Server that http.Server does not take
    server.on("connection", (socket: Socket) => this.#opened(socket));
    const request: RequestListener = (req, res) => this.#arrived(req, res);
    for (const event of ["request", "checkContinue", "checkExpectation"]) server.on(event, request);
  }

  /** Requests that are being answered. */
  get requestsUnderWay(): number {
    return this.#underWay;
  }

  /** What is being answered on a connection, and which of its requests was begun last. */
  stateOf(socket: Socket): { current: Waiting | null; last: IncomingMessage | null } {
    return this.#open.get(socket) ?? { current: null, last: null };
  }

  /**
   * Ends the connections on which no request has come yet, as clients open them in advance. Node counts them
   * as busy and would wait for them when the server closes.
   */
  endUnused(): void {
    for (const { socket, last } of this.#open.values()) if (last === null) socket.destroy();
  }

  /**
   * Resolves when every request that has begun is answered, or after `limitMs`. A connection may be gone
   * before its request is answered: what the request still does with the store must end before the store is
   * closed.
   */
  allAnswered(limitMs: number): Promise<void> {
    if (this.#underWay === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const limit = setTimeout(resolve, limitMs);
      this.#idleListeners.push(() => {
        clearTimeout(limit);
        resolve();
      });
    });
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
      isPipelining: false,
      bytesBefore: 0,
      quietSince: performance.now(),
      unreadBytes: 0,
    };
    this.#open.set(socket, connection);
    socket.once("close", () => this.#closed(connection));
    if (subject !== null) this.#bound(connection, subject);
    this.#readInTurn(connection);
  }

  /** Reads from a connection once it is its address's turn. Until then it stays paused. */
  #readInTurn({ socket, subject }: Connection): void {
    const begin = () => socket.isPaused() && socket.resume();
    if (this.#reads.mayBegin()) begin();
    else this.#reads.wait(subject ?? "", { begin, isGone: () => socket.destroyed });
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
    this.#drop(connection);
    this.#read(connection);
    if (subject === null) return;
    this.#bounded.delete(connection);
    const count = (this.#countOf.get(subject) ?? 1) - 1;
    if (count > 0) this.#countOf.set(subject, count);
    else this.#countOf.delete(subject);
  }

  /**
   * Ends the connection that has been quiet for longest, of one subject or of all; the newest itself where
   * every other one is busy. So one that is used stays, and what holds many without using them loses them.
   */
  #makeRoom(newest: Connection, subject: string | null): void {
    const quietBefore = performance.now() - leastQuietMs;
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
    if (!connection || req.socket.destroyed) return;
    if (connection.current === null) {
      connection.bytesBefore = req.socket.bytesWritten;
      this.#begin(connection, { req, res });
      return;
    }
    if (connection.waiting.length >= mostWaiting.onOne || this.#waiting >= mostWaiting.inAll) {
      end(req.socket);
      this.#drop(connection);
      return;
    }
    connection.waiting.push({ req, res });
    connection.isPipelining = true;
    this.#waiting++;
  }

  #begin(connection: Connection, request: Waiting): void {
    const { req, res } = request;
    connection.current = request;
    connection.last = req;
    this.#used(connection);
    this.#underWay++;
    let isAnswered = false;
    const { end } = res;
    res.end = ((...given: Parameters<typeof end>) => {
      end.apply(res, given);
      if (!isAnswered) this.#answered(connection, res);
      isAnswered = true;
      return res;
    }) as typeof end;
    res.once("close", () => this.#goOn(connection));
    this.#handle(req, res);
  }

  /** Its answer is complete: what the connection has not taken of it yet is counted. */
  #answered(connection: Connection, res: ServerResponse): void {
    if (--this.#underWay === 0) {
      for (const resolve of this.#idleListeners.splice(0)) resolve();
    }
    const { socket, current } = connection;
    if (socket.writableLength === 0 || socket.destroyed || current?.res !== res) return;
    connection.unreadBytes = socket.writableLength;
    this.#unreadBytes += connection.unreadBytes;
    this.#unread.add(connection);
    const limit = setTimeout(() => end(socket), longestReadMs);
    limit.unref();
    res.once("close", () => clearTimeout(limit));
    for (const oldest of this.#unread) {
      if (this.#unreadBytes <= mostUnreadBytes) break;
      this.#read(oldest);
      end(oldest.socket);
    }
  }

  /** Nothing of its answer is left to be read. */
  #read(connection: Connection): void {
    if (!this.#unread.delete(connection)) return;
    this.#unreadBytes -= connection.unreadBytes;
    connection.unreadBytes = 0;
  }

  /** Begins the next request of a connection, now that the current one is over. */
  #goOn(connection: Connection): void {
    this.#read(connection);
    connection.current = null;
    this.#used(connection);
    const { socket, waiting, bytesBefore } = connection;
    if (!socket.writable) this.#drop(connection);
    const next = waiting.shift();
    if (!next) {
      if (connection.isPipelining) this.#pause(connection);
      return;
    }
    this.#waiting--;
    if (socket.bytesWritten - bytesBefore > mostPipelinedBytes) {
      this.#drop(connection);
      socket.end();
      setTimeout(() => end(socket), longestCloseMs).unref();
      return;
    }
    this.#begin(connection, next);
  }

  /** Reads what a client sends behind many requests at once only when it is its turn again. */
  #pause(connection: Connection): void {
    connection.isPipelining = false;
    const { socket } = connection;
    setImmediate(() => {
      socket.pause(); // later than Node resumes it after an answer, and before the next read
      this.#readInTurn(connection);
    });
  }

  /** Forgets the requests that wait: their connection is over. */
  #drop(connection: Connection): void {
    this.#waiting -= connection.waiting.length;
    connection.waiting = [];
  }

  #used(connection: Connection): void {
    connection.quietSince = performance.now();
    if (this.#bounded.delete(connection)) this.#bounded.add(connection);
  }
}

/** Whether the service is at work on a request of this connection that has arrived whole. */
function isBusy({ current }: Connection): boolean {
  return current?.req.complete === true && !current.res.writableEnded;
}

/** Ends a connection at once, and frees what the system holds of answers that were not read. */
function end(socket: Socket): void {
  const stream: Duplex = socket; // in the test kit it is a stream in memory
  if (stream instanceof Socket) stream.resetAndDestroy();
  else stream.destroy();
}
