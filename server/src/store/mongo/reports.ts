import { Types } from "mongoose";

/** One line: a queue on a day. */
export interface LinePlace {
  readonly businessId: string;
  readonly date: string;
  readonly queueId: string;
}

/** What a process reports on a line with its next command. */
export interface Report {
  /** The id of the process. */
  readonly instance: string;
  /** The number of its pending changes of the line. */
  readonly open: number;
  /** Increases with each report, so that the later of two is used, in any order of arrival. */
  readonly turn: number;
  /** The epochs in which the ended changes began. */
  readonly epochs: readonly number[];
  /** Whether a change ended with an unknown result. */
  readonly doubt: boolean;
}

interface Known {
  readonly place: LinePlace;
  open: number;
  epochs: Set<number>;
  doubt: boolean;
  /** Whether it has changed since its last report. */
  changed: boolean;
}

/**
 * Whether a report shows that the counts of a line may be wrong: a change ended with an unknown result, or began
 * before the line's last recount.
 */
export function raisesDoubt(
  { doubt, epochs }: Report,
  { epoch }: { readonly epoch: number },
): boolean {
  return doubt || epochs.some((ended) => ended !== epoch);
}

/**
 * The pending changes of this process on each line. A report always contains the full state, so the next one
 * replaces a lost one. A process that died is recognized by an old report with a pending change.
 */
export class Reports {
  readonly instance = new Types.ObjectId().toHexString();
  readonly #lines = new Map<string, Known>();
  #turn = 0;

  begin(place: LinePlace, changes: number): void {
    this.#of(place).open += changes;
  }

  /** Ends changes: `epoch` is the recount in which they began, if needed; `doubt` means an unknown result. */
  end(place: LinePlace, changes: number, { epoch, doubt = false }: Ending = {}): void {
    const known = this.#of(place);
    known.open -= changes;
    known.doubt ||= doubt;
    known.changed = true;
    if (epoch !== undefined) known.epochs.add(epoch);
  }

  /** The report to send now. It counts as sent. */
  take(place: LinePlace): Report {
    const known = this.#of(place);
    const { open, epochs, doubt } = known;
    known.epochs = new Set();
    known.doubt = false;
    known.changed = false;
    if (open === 0) this.#lines.delete(keyOf(place));
    return { instance: this.instance, open, turn: ++this.#turn, epochs: [...epochs], doubt };
  }

  /** Restores a report that may be lost. */
  lost(place: LinePlace, { doubt, epochs }: Report): void {
    const known = this.#of(place);
    known.changed = true;
    known.doubt ||= doubt;
    for (const epoch of epochs) known.epochs.add(epoch);
  }

  /** The lines that have changed since their last report. */
  changed(): LinePlace[] {
    return [...this.#lines.values()].filter(({ changed }) => changed).map(({ place }) => place);
  }

  #of(place: LinePlace): Known {
    const key = keyOf(place);
    const known = this.#lines.get(key);
    if (known) return known;
    const made = { place, open: 0, epochs: new Set<number>(), doubt: false, changed: false };
    this.#lines.set(key, made);
    return made;
  }
}

interface Ending {
  readonly epoch?: number;
  readonly doubt?: boolean;
}

export function keyOf({ businessId, date, queueId }: LinePlace): string {
  return `${businessId} ${date} ${queueId}`;
}
