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

type Said = Pick<Report, "turn" | "epochs" | "doubt">;

interface Known {
  readonly place: LinePlace;
  open: number;
  epochs: Set<number>;
  doubt: boolean;
  /** Whether it has changed since its last report. */
  changed: boolean;
  /** What each report adds that was sent and has not arrived yet. The later ones repeat it. */
  sent: Said[];
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
    known.doubt ||= doubt;
    known.changed = true;
    if (epoch !== undefined) known.epochs.add(epoch);
  }

  /** The report to send now. The sender calls `arrived` or `lost` with it afterwards. */
  take(place: LinePlace): Report {
    const known = this.#of(place);
    const { open, epochs, doubt } = known;
    const turn = ++this.#turn;
    const report = { instance: this.instance, open, turn, ...unarrivedOf(known) };
    known.sent.push({ turn, epochs: [...epochs], doubt });
    known.epochs = new Set();
    known.doubt = false;
    known.changed = false;
    return report;
  }

  /** A report is in its line, or its line does not exist. So the earlier ones, which it repeats, need not arrive. */
  arrived(place: LinePlace, { turn }: Report): void {
    const known = this.#of(place);
    known.sent = known.sent.filter((one) => one.turn > turn);
    const { open, changed, sent } = known;
    if (open === 0 && !changed && sent.length === 0) this.#forget(place);
  }

  /** Restores a report that may be lost, unless a later one has arrived. */
  lost(place: LinePlace, { turn }: Report): void {
    const known = this.#of(place);
    const said = known.sent.find((one) => one.turn === turn);
    if (!said) return;
    known.sent = known.sent.filter((one) => one !== said);
    known.changed = true;
    known.doubt ||= said.doubt;
    for (const epoch of said.epochs) known.epochs.add(epoch);
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
      place,
      open: 0,
      epochs: new Set<number>(),
      doubt: false,
      changed: false,
      sent: [],
    };
    lines.set(key, made);
    this.#businesses.set(place.businessId, lines);
    return made;
  }

  #forget(place: LinePlace): void {
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

function unarrivedOf({ epochs, doubt, sent }: Known): Pick<Report, "epochs" | "doubt"> {
  const all = new Set([...epochs, ...sent.flatMap((said) => said.epochs)]);
  return { epochs: [...all], doubt: doubt || sent.some((said) => said.doubt) };
}
