import { contextOf } from "../endpoints/request-context.js";
import type { Step } from "./steps.js";

/** Work that waits for its turn. */
interface Waiting {
  readonly begin: () => void;
  /** Whether nobody waits for it any more. It is then dropped, and costs no place in a turn. */
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

  /** `perTurn`: how much may begin in one turn of the event loop. Infinity switches it off, and uses no timer. */
  constructor(perTurn: number) {
    this.#perTurn = perTurn;
  }

  /** Whether work may begin now. If not, it has to {@link wait}. */
  mayBegin(): boolean {
    if (this.#perTurn === Number.POSITIVE_INFINITY) return true;
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

/** How many requests begin in one turn of the event loop. Everything else waits as long as a turn takes. */
const requestsPerTurn = 32;

/** From how many connections, new or pipelining, requests are read in one turn of the event loop. */
const readsPerTurn = 4;

/** What is shared among the addresses that call. Where it is not to be fair, nothing waits. */
export function eventLoopShares({ isFair }: { readonly isFair: boolean }) {
  const share = (perTurn: number) => new FairShare(isFair ? perTurn : Number.POSITIVE_INFINITY);
  return { requests: share(requestsPerTurn), reads: share(readsPerTurn) };
}

/** Lets a request begin when it is its address's turn. */
export function fairTurn(share: FairShare): Step {
  return (_req, res) => {
    if (share.mayBegin()) return undefined;
    return new Promise((begin) => {
      const isGone = () => {
        if (res.destroyed) res.end(); // or it would count as under way
        return res.destroyed;
      };
      share.wait(contextOf(res).subject, { begin, isGone });
    });
  };
}
