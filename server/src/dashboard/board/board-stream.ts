import type { Response } from "express";
import type { Business } from "../../rules/records.js";
import type { LinePart } from "../../store/port/boards.js";
import type { Session, SessionHolder, SessionWatch } from "../accounts/session-watch.js";
import { EventStream } from "./event-stream.js";
import type { LiveBoards } from "./live-boards.js";
import type { OpenStream, OpenStreams } from "./open-streams.js";
import type { Follower, Showing } from "./showing.js";
import type { Snapshot } from "./snapshot.js";

/** The stream ends after this many beats that the browser did not read. */
const mostUntaken = 15;

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
  readonly #events: EventStream;
  readonly #wanted: Wanted;
  readonly #leave: (() => void)[] = [];
  #showing: Showing | null = null;
  /** What the browser shows. */
  #shown: Snapshot | null = null;
  #untaken = 0;
  #isOver = false;

  constructor(res: Response, wanted: Wanted) {
    this.#res = res;
    this.#events = new EventStream(res);
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
    this.#res.on("drain", () => this.changed());
    this.#res.on("close", () => this.#end());
    if (this.#res.closed) this.#end();
    try {
      this.#begin(await boards.showing(business, this.#wanted.part));
    } catch (error) {
      this.#letGo();
      throw error;
    }
  }

  changed(): void {
    const newest = this.#showing?.current?.snapshot;
    if (!this.#showing || !newest || this.#events.isFull) return;
    if (newest.id === this.#shown?.id) return;
    if (newest.frame === this.#wanted.frame) {
      this.#events.send("patch", this.#showing.patchFrom(this.#shown), newest.id);
      this.#shown = newest;
    } else {
      this.#end("reload");
    }
  }

  lost(): void {
    this.#end();
  }

  beat(): void {
    if (!this.#showing) return;
    if (!this.#events.isFull) {
      this.#events.send("beat");
      this.#untaken = 0;
    } else if (++this.#untaken >= mostUntaken) {
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

  #begin(showing: Showing): void {
    if (this.#isOver) return;
    this.#showing = showing;
    this.#shown = showing.find(this.#wanted.snapshot);
    this.#leave.push(showing.follow(this));
    this.changed();
    if (!this.#isOver) this.#events.send("live");
  }

  #end(lastWord?: "reload" | "rest"): void {
    if (this.#isOver) return;
    this.#letGo();
    if (lastWord) this.#events.send(lastWord);
    this.#events.end();
  }

  /** Unsubscribes from everything. */
  #letGo(): void {
    this.#isOver = true;
    for (const leave of this.#leave.splice(0)) leave();
  }
}
