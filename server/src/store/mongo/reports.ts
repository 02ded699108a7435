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

/** The turn of what no report contains yet. */
const unsent = Number.POSITIVE_INFINITY;

interface Known {
  readonly place: LinePlace;
  open: number;
  /** The epochs to report. Each stays until a report of its turn, or a later one, has arrived. */
  readonly epochs: Map<number, number>;
  /** The same for a doubt; null if there is none. */
  doubt: number | null;
  /** Whether it has changed since its last report. */
  changed: boolean;
  /** The number of reports under way. */
  underWay: number;
  /** The turn of the latest report that has arrived. */
  arrived: number;
}

/** What the reports on each line say that have not arrived. */
export type Unarrived = ReadonlyMap<string, Pick<Report, "doubt" | "epochs">>;

const nothing: Unarrived = new Map();

/**
 * Whether a report shows that the counts of a line may be wrong: a change ended with an unknown result, or began
 * before the line's last recount.
 */
export function raisesDoubt(
  { doubt, epochs }: Pick<Report, "doubt" | "epochs">,
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
  readonly #businesses = new Map<string, Map<string, Known>>();
  #turn = 0;

  begin(place: LinePlace, changes: number): void {
    this.#of(place).open += changes;
  }

  /** Ends changes: `epoch` is the recount in which they began, if needed; `doubt` means an unknown result. */
  end(place: LinePlace, changes: number, { epoch, doubt = false }: Ending = {}): void {
    const known = this.#of(place);
    known.open -= changes;
    known.changed = true;
    if (doubt) known.doubt = unsent;
    if (epoch !== undefined) known.epochs.set(epoch, unsent);
  }

  /**
   * The report to send now. It repeats what the earlier reports say that have not arrived. The sender calls
   * `arrived` or `lost` with it once.
   */
  take(place: LinePlace): Report {
    const known = this.#of(place);
    const turn = ++this.#turn;
    for (const [epoch, since] of known.epochs) if (since === unsent) known.epochs.set(epoch, turn);
    if (known.doubt === unsent) known.doubt = turn;
    known.changed = false;
    known.underWay++;
    return { instance: this.instance, open: known.open, turn, ...unarrivedOf(known) };
  }

  /** A report is in its line. The earlier ones need not arrive. */
  arrived(place: LinePlace, { turn }: Report): void {
    const known = this.#of(place);
    known.underWay--;
    known.arrived = Math.max(known.arrived, turn);
    for (const [epoch, since] of known.epochs) if (since <= turn) known.epochs.delete(epoch);
    if (known.doubt !== null && known.doubt <= turn) known.doubt = null;
    this.#forgetSettled(known);
  }

  /** A report may be lost. What it says is reported again, unless a later report has arrived. */
  lost(place: LinePlace, { turn }: Report): void {
    const known = this.#of(place);
    known.underWay--;
    if (turn > known.arrived) {
      known.changed = true;
      for (const [epoch, since] of known.epochs) {
        if (since === turn) known.epochs.set(epoch, unsent);
      }
      if (known.doubt === turn) known.doubt = unsent;
    }
    this.#forgetSettled(known);
  }

  /** What the reports say that have not arrived in the lines of a business, by line. */
  unarrived(businessId: string): Unarrived {
    const lines = this.#businesses.get(businessId);
    if (!lines) return nothing;
    return new Map([...lines].map(([key, known]) => [key, unarrivedOf(known)]));
  }

  /** The lines that have changed since their last report. */
  changed(): LinePlace[] {
    const lines = [...this.#businesses.values()].flatMap((ofOne) => [...ofOne.values()]);
    return lines.filter(({ changed }) => changed).map(({ place }) => place);
  }

  #of(place: LinePlace): Known {
    const key = keyOf(place);
    const lines = this.#businesses.get(place.businessId) ?? new Map<string, Known>();
    const known = lines.get(key);
    if (known) return known;
    const made = {
      ...{ place, open: 0, epochs: new Map<number, number>(), doubt: null },
      ...{ changed: false, underWay: 0, arrived: 0 },
    };
    lines.set(key, made);
    this.#businesses.set(place.businessId, lines);
    return made;
  }

  #forgetSettled({ place, open, changed, underWay }: Known): void {
    if (open > 0 || changed || underWay > 0) return;
    const lines = this.#businesses.get(place.businessId);
    lines?.delete(keyOf(place));
    if (lines?.size === 0) this.#businesses.delete(place.businessId);
  }
}

interface Ending {
  readonly epoch?: number;
  readonly doubt?: boolean;
}

export function keyOf({ businessId, date, queueId }: LinePlace): string {
  return `${businessId} ${date} ${queueId}`;
}

function unarrivedOf({ epochs, doubt }: Known): Pick<Report, "epochs" | "doubt"> {
  return { epochs: [...epochs.keys()], doubt: doubt !== null };
}
