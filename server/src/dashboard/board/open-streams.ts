import { PageRefusal } from "../errors.js";

/** A stream that can be ended. `lastEvent`: what the browser is told before. */
export interface OpenStream {
  end(lastEvent?: "reload" | "rest"): void;
}

/** How many streams may be open at once. */
export interface StreamLimits {
  /** Per session. */
  readonly ofSession: number;
  /** Per business, so that one business leaves room for the others. */
  readonly ofBusiness: number;
  /** Per process. */
  readonly ofAll: number;
}

/** Far more than one person or one business views. Each stream takes about 60 KB. */
const usualLimits: StreamLimits = { ofSession: 20, ofBusiness: 200, ofAll: 2_000 };

/** After how many seconds a refused browser may try again. */
const retrySeconds = 5;

/** Who follows a stream: the ids of a session or a display's link, of its account, and of its business. */
export interface Viewer {
  readonly session: string;
  /** Absent for a display, which has no account. */
  readonly owner?: string;
  readonly business: string;
}

/** The open streams of this process. Enforces the limits, and refuses streams after a stop. */
export class OpenStreams {
  readonly #stopping: AbortSignal;
  readonly #limits: StreamLimits;
  /** The oldest first. */
  readonly #open = new Map<OpenStream, Viewer>();

  /** `stopping`: aborted when the service begins to stop. */
  constructor(stopping: AbortSignal, limits: StreamLimits = usualLimits) {
    this.#stopping = stopping;
    this.#limits = limits;
    stopping.addEventListener("abort", () => {
      for (const stream of this.#open.keys()) stream.end();
    });
  }

  /**
   * Registers a stream until the returned function is called. If its session has too many, the oldest of
   * them rests.
   *
   * @throws PageRefusal 503 when its business or the process has too many, or is stopping
   */
  add(viewer: Viewer, stream: OpenStream): () => void {
    if (this.#stopping.aborted) throw notNow("This server is about to stop.");
    const { ofSession, ofBusiness, ofAll } = this.#limits;
    const [oldest, ...others] = this.#of("session", viewer.session);
    if (oldest && others.length + 1 >= ofSession) oldest.end("rest");
    if (this.#open.size >= ofAll) throw notNow("Too many boards are open on this server.");
    if (this.#of("business", viewer.business).length >= ofBusiness) {
      throw notNow("Too many boards of this business are open on this server.");
    }
    this.#open.set(stream, viewer);
    return () => void this.#open.delete(stream);
  }

  /** Ends the streams of a session that has just ended, or of all sessions of an account. */
  ended(part: "session" | "owner", id: string): void {
    for (const stream of this.#of(part, id)) stream.end("reload");
  }

  #of(part: keyof Viewer, id: string): OpenStream[] {
    const same = [...this.#open].filter(([, viewer]) => viewer[part] === id);
    return same.map(([stream]) => stream);
  }
}

function notNow(reason: string): PageRefusal {
  const advice = `${reason} The board tries again by itself.`;
  return new PageRefusal(503, "Not live for now", advice, retrySeconds);
}
