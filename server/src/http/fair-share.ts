import type { RequestHandler } from "express";
import { contextOf } from "./context.js";

/** A task that waits for its turn. */
interface Waiting {
  readonly begin: () => void;
  /** Whether its client has disconnected. The task is then dropped and uses no place in a turn. */
  readonly isGone: () => boolean;
}

/**
 * Shares the event loop among the addresses that call. As much work as arrives begins at once, up to a bound for
 * each turn of the event loop. What exceeds it waits in a line for each address, and the lines take turns. So an
 * address that sends a lot waits for itself, and others do not.
 */
export class FairShare {
  readonly #perTurn: number;
  readonly #lines = new Map<string, Waiting[]>();
  #begun = 0;

  /** `perTurn`: how much may begin in one turn of the event loop. */
  constructor(perTurn: number) {
    this.#perTurn = perTurn;
  }

  /** Whether work may begin now. If not, it has to {@link wait}. */
  mayBegin(): boolean {
    if (this.#begun >= this.#perTurn || this.#lines.size > 0) return false;
    if (this.#begun++ === 0) setImmediate(this.#nextTurn);
    return true;
  }

  /** Puts work in the line of a subject, its address. */
  wait(subject: string, work: Waiting): void {
    const line = this.#lines.get(subject);
    if (line) line.push(work);
    else this.#lines.set(subject, [work]);
  }

  readonly #nextTurn = () => {
    this.#begun = 0;
    while (this.#begun < this.#perTurn) {
      const [next] = this.#lines;
      if (!next) break;
      const [subject, line] = next;
      this.#lines.delete(subject);
      const work = line.shift();
      if (line.length > 0) this.#lines.set(subject, line); // at the end: the other lines come first
      if (!work || work.isGone()) continue;
      this.#begun++;
      work.begin();
    }
    if (this.#begun > 0) setImmediate(this.#nextTurn);
  };
}

/** How many requests begin in one turn of the event loop. The others wait for the next turn. */
const requestsPerTurn = 16;

/** Starts a request when it is the turn of its address. */
export function fairTurn(): RequestHandler {
  const share = new FairShare(requestsPerTurn);
  return (_req, res, next) => {
    if (share.mayBegin()) {
      next();
      return;
    }
    const isGone = () => {
      if (res.destroyed) res.end(); // otherwise it would count as running
      return res.destroyed;
    };
    share.wait(contextOf(res).subject, { begin: next, isGone });
  };
}
