import type { Response } from "express";
import type { Business } from "../../rules/records.js";
import type { LinePart } from "../../store/port/boards.js";
import type { Session, SessionHolder, SessionWatch } from "../accounts/session-watch.js";
import type { Follower, LiveBoards } from "./board-watch.js";
import type { OpenStream, OpenStreams } from "./open-streams.js";
import { patch, type Snapshot } from "./snapshot.js";

/** The stream ends after this many heartbeats that the browser did not read. */
const mostUnread = 15;

/** What a browser follows, and what it already shows. */
export interface Wanted {
  readonly business: Business;
  /** The part of one queue's line to show instead of its beginning. */
  readonly part: LinePart | null;
  /** Ids of the snapshot and of the frame that it shows. */
  readonly snapshot: string;
  readonly frame: string;
}

/** The dependencies of a stream. */
export interface StreamDeps {
  readonly boards: LiveBoards;
  readonly streams: OpenStreams;
  readonly sessions: SessionWatch;
}

/**
 * Sends a board as server-sent events until the browser disconnects, its session ends or the service
 * stops: `patch` with changes, `live` once the page is up to date, `beat` as a heartbeat, `reload` when the
 * page must be loaded again, `rest` when the page should reconnect only once it is visible. Patches are not
 * queued for a slow browser: when it has read one, the next patch leads directly to the newest state.
 */
export class BoardStream implements Follower, SessionHolder, OpenStream {
  readonly #res: Response;
  readonly #wanted: Wanted;
  readonly #leave: (() => void)[] = [];
  /** The board now; null until the stream follows it. */
  #newest: Snapshot | null = null;
  /** What the browser shows. */
  #shown: Snapshot | null = null;
  #unread = 0;
  #isOver = false;

  constructor(res: Response, wanted: Wanted) {
    this.#res = res;
    this.#wanted = wanted;
  }

  /**
   * Starts to follow the board for a session, and sends what the browser does not show yet.
   *
   * @throws PageRefusal 503 when too many streams are open
   */
  async open(session: Session, { boards, streams, sessions }: StreamDeps): Promise<void> {
    const { business } = this.#wanted;
    this.#leave.push(streams.add({ session: session.id, business: business.id }, this));
    this.#leave.push(sessions.hold(session, this));
    this.#res.on("drain", () => this.#sendNewest());
    this.#res.on("close", () => this.#end());
    if (this.#res.closed) this.#end();
    try {
      const { part, snapshot } = this.#wanted;
      const { current, leave } = await boards.of(business).follow(part, this);
      if (this.#isOver) return leave();
      this.#leave.push(leave);
      if (current.id === snapshot) this.#shown = current;
      this.changed(current);
      if (!this.#isOver) this.#send("live");
    } catch (error) {
      this.#letGo();
      throw error;
    }
  }

  changed(now: Snapshot): void {
    this.#newest = now;
    this.#sendNewest();
  }

  lost(): void {
    this.#end();
  }

  beat(): void {
    if (!this.#newest) return;
    if (!this.#isFull) {
      this.#send("beat");
      this.#unread = 0;
    } else if (++this.#unread >= mostUnread) {
      this.#res.destroy();
    }
  }

  sessionEnded(): void {
    this.#end("reload");
  }

  displaced(): void {
    this.#end("rest");
  }

  stopped(): void {
    this.#end();
  }

  /** Whether the browser has not read all that was sent. Sending more then fills the memory. */
  get #isFull(): boolean {
    return this.#res.writableNeedDrain;
  }

  #sendNewest(): void {
    const newest = this.#newest;
    if (newest === null || this.#isOver || this.#isFull || newest.id === this.#shown?.id) return;
    if (newest.frame === this.#wanted.frame) {
      this.#send("patch", patch(this.#shown, newest), newest.id);
      this.#shown = newest;
    } else {
      this.#end("reload");
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

  /** Also ends a response that has not begun. */
  #end(lastEvent?: "reload" | "rest"): void {
    if (this.#isOver) return;
    this.#letGo();
    if (lastEvent) this.#send(lastEvent);
    if (this.#res.writableEnded) return;
    this.#begin();
    this.#res.end();
  }

  /** Unsubscribes from everything. */
  #letGo(): void {
    this.#isOver = true;
    for (const leave of this.#leave.splice(0)) leave();
  }
}
