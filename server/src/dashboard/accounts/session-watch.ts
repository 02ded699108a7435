import type { Logger } from "pino";
import { tellEach } from "../tell-each.js";
import type { Time } from "../time.js";

/** How often the store is asked whether a session still runs, while an answer is held open for it. */
const beatEveryMs = 2_000;

/** The session that a request came with. */
export interface Session {
  /** Hash of its token. */
  readonly id: string;
  readonly ownerId: string;
}

/** Whoever holds an answer open for as long as a session runs. */
export interface SessionHolder {
  /** The session still runs. Told once every two seconds. */
  beat(): void;
  /** The session has ended: nothing may be sent any more to whoever had it. */
  sessionEnded(): void;
  /** Nobody knows whether it still runs: the store does not answer. */
  lost(): void;
}

/** A session for which answers are held open. */
interface Held {
  readonly session: Session;
  readonly holders: Set<SessionHolder>;
  stopWaiting: () => void;
}

/** What the watch is made of. */
interface SessionWatchDeps {
  /** Where a session is looked up by its id; null when it has ended. */
  readonly store: { readonly sessions: { get(id: string): Promise<object | null> } };
  readonly logger: Pick<Logger, "warn" | "error">;
  readonly time: Time;
}

/**
 * Tells whoever holds answers open when their session ends: at once when it is ended through this
 * process, else within a beat. The store is asked once for all answers of a session.
 */
export class SessionWatch {
  readonly #deps: SessionWatchDeps;
  readonly #held = new Map<string, Held>();

  constructor(deps: SessionWatchDeps) {
    this.#deps = deps;
  }

  /** Tells a holder of a session that runs now, until what it returns is called, or it ends. */
  hold(session: Session, holder: SessionHolder): () => void {
    const held = this.#held.get(session.id) ?? this.#begin(session);
    held.holders.add(holder);
    return () => {
      held.holders.delete(holder);
      if (held.holders.size === 0) this.#forget(held);
    };
  }

  /** A session was ended just now. */
  ended(id: string): void {
    const held = this.#held.get(id);
    if (!held) return;
    this.#forget(held);
    tellEach(held.holders, (holder) => holder.sessionEnded(), this.#deps.logger);
  }

  /** All sessions of an owner were ended just now. */
  allEnded(ownerId: string): void {
    for (const { session } of this.#held.values()) {
      if (session.ownerId === ownerId) this.ended(session.id);
    }
  }

  #begin(session: Session): Held {
    const held = { session, holders: new Set<SessionHolder>(), stopWaiting: () => {} };
    this.#held.set(session.id, held);
    this.#wait(held);
    return held;
  }

  #wait(held: Held): void {
    held.stopWaiting = this.#deps.time.after(beatEveryMs, () => {
      this.#ask(held).catch((error: unknown) => {
        const { logger } = this.#deps;
        logger.warn({ err: error }, "boards are not live: the store does not tell of sessions");
        this.#forget(held);
        tellEach(held.holders, (holder) => holder.lost(), logger);
      });
    });
  }

  async #ask(held: Held): Promise<void> {
    const { id } = held.session;
    const runs = (await this.#deps.store.sessions.get(id)) !== null;
    if (this.#held.get(id) !== held) return; // ended, or let go of, meanwhile
    if (!runs) return this.ended(id);
    this.#wait(held);
    const failed = tellEach(held.holders, (holder) => holder.beat(), this.#deps.logger);
    tellEach(failed, (holder) => holder.lost(), this.#deps.logger);
  }

  #forget(held: Held): void {
    held.stopWaiting();
    if (this.#held.get(held.session.id) === held) this.#held.delete(held.session.id);
  }
}
