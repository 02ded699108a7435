import type { Response } from "express";
import type { Logger } from "pino";
import type { LinePart } from "../../operations/boards.js";
import type { Business } from "../../rules/records.js";
import type { Time } from "../time.js";
import type { Follower, LiveBoards } from "./live-boards.js";
import type { OpenStream, OpenStreams, Viewer } from "./open-streams.js";
import { patch, type Snapshot } from "./snapshot.js";

/** How often a stream sends a heartbeat, and asks whether its session is still valid. */
const beatEveryMs = 2_000;

/** The stream ends after this many heartbeats that the browser did not read. */
const mostUnread = 15;

/** What a browser follows, and what it already shows. */
export interface Wanted {
  readonly business: Business;
  /** The part of one queue's line to show instead of its beginning. */
  readonly part: LinePart | null;
  /** The session that follows. */
  readonly viewer: Omit<Viewer, "business">;
  /** Whether that session is still valid, which another process may have ended. */
  readonly isValid: () => Promise<boolean>;
}

/** The dependencies of a stream. */
export interface StreamDeps {
  readonly boards: LiveBoards;
  readonly streams: OpenStreams;
  readonly time: Time;
  readonly logger: Pick<Logger, "warn">;
}

/**
 * Sends a board as server-sent events until the browser disconnects, its session ends or the service
 * stops: `patch` with changes, `live` once the page is up to date, `beat` as a heartbeat, `reload` when the
 * page must be loaded again, `rest` when the page should reconnect only once it is visible. Patches are not
 * queued for a slow browser: when it has read one, the next patch leads directly to the newest state.
 */
export class BoardStream implements Follower, OpenStream {
  readonly #res: Response;
  readonly #wanted: Wanted;
  readonly #deps: StreamDeps;
  readonly #leave: (() => void)[] = [];
  /** The board now; null until it is known. */
  #newest: Snapshot | null = null;
  /** What the browser shows. */
  #shown: Snapshot | null = null;
  #unread = 0;
  #cancelBeat = () => {};
  #isOver = false;

  constructor(res: Response, wanted: Wanted, deps: StreamDeps) {
    this.#res = res;
    this.#wanted = wanted;
    this.#deps = deps;
  }

  /**
   * Starts to follow the board, and sends what the browser does not show yet.
   *
   * @throws PageRefusal 503 when too many streams are open
   */
  open(): void {
    const { boards, streams } = this.#deps;
    const { business, part, viewer } = this.#wanted;
    this.#leave.push(streams.add({ ...viewer, business: business.id }, this));
    this.#res.on("drain", () => this.#sendNewest());
    this.#res.on("close", () => this.end());
    this.#leave.push(boards.follow(business, part, this), () => this.#cancelBeat());
    this.#wait();
    if (this.#res.closed) this.end();
  }

  show(now: Snapshot): void {
    const isFirst = this.#newest === null;
    this.#newest = now;
    if (isFirst && now.id === this.#res.req.query.snapshot) this.#shown = now;
    this.#sendNewest();
    if (isFirst && !this.#isOver) this.#send("live");
  }

  /** Also ends a response that has not begun. */
  end(lastEvent?: "reload" | "rest"): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const leave of this.#leave.splice(0)) leave();
    if (lastEvent) this.#send(lastEvent);
    if (this.#res.writableEnded) return;
    this.#begin();
    this.#res.end();
  }

  #wait(): void {
    this.#cancelBeat = this.#deps.time.after(beatEveryMs, () => {
      this.#beat().catch((error: unknown) => {
        this.#deps.logger.warn({ err: error }, "a board is not live: its session cannot be read");
        this.end();
      });
    });
  }

  async #beat(): Promise<void> {
    const isValid = await this.#wanted.isValid();
    if (this.#isOver) return;
    if (!isValid) return this.end("reload");
    this.#wait();
    if (!this.#isFull) {
      this.#send("beat");
      this.#unread = 0;
    } else if (++this.#unread >= mostUnread) {
      this.#res.destroy();
    }
  }

  /** Whether the browser has not read all that was sent. Sending more then fills the memory. */
  get #isFull(): boolean {
    return this.#res.writableNeedDrain;
  }

  #sendNewest(): void {
    const newest = this.#newest;
    if (newest === null || this.#isOver || this.#isFull || newest.id === this.#shown?.id) return;
    if (newest.frame === this.#res.req.query.frame) {
      this.#send("patch", patch(this.#shown, newest), newest.id);
      this.#shown = newest;
    } else {
      this.end("reload");
    }
  }

  /** Sends an event. The data is never empty: browsers drop empty events. */
  #send(event: string, text = "1", id?: string): void {
    if (this.#res.writableEnded) return;
    this.#begin();
    const name = id === undefined ? "" : `id: ${id}\n`;
    this.#res.write(`event: ${event}\n${name}data: ${text.replace(/\r\n|\r|\n/g, "\ndata: ")}\n\n`);
  }

  /** The connection ends with the response, so that a stop does not wait for it. */
  #begin(): void {
    if (this.#res.headersSent) return;
    this.#res.status(200).set({
      "Content-Type": "text/event-stream; charset=utf-8",
      "X-Accel-Buffering": "no", // or nginx buffers events
      Connection: "close",
    });
    this.#res.flushHeaders();
  }
}
