import { Coalescer, lanes } from "./coalescer.js";
import { type DayDoc, dayId, type LineDoc } from "./collections/days.js";
import type { Database } from "./connection.js";
import { lineField } from "./line-pipeline.js";
import type { LinePlace } from "./reports.js";

/** The version of a line. No other version of any line has the same text. */
export type LineMark = string;

type Version = Pick<LineDoc, "revision" | "stamp">;

/**
 * The mark of a line as it was read. Null while one of its entries may change without a new version: a change
 * is pending, a command may still arrive, or an earlier version of this program, which wrote no stamps, wrote
 * the line. An entry that is read after a line with a mark stays the same as long as the line has that mark.
 */
export function markOf(line: LineDoc): LineMark | null {
  const { doubt, lateUntil = 0, open } = line;
  const isSettled = !doubt && lateUntil === 0 && Object.values(open).every(({ n }) => n <= 0);
  return isSettled ? versionOf(line) : null;
}

/**
 * Includes the revision, because an earlier version of this program increments it and does not change the
 * stamp.
 */
function versionOf({ revision, stamp }: Version): LineMark | null {
  return stamp ? `${stamp} ${revision}` : null;
}

/** Reads the marks of lines. Concurrent requests of all businesses share one command. */
export class LineMarks {
  readonly #db: Database;
  readonly #reads = new Coalescer<LinePlace, LineMark | null>((_, places) => this.#read(places), {
    lanes,
  });

  constructor(db: Database) {
    this.#db = db;
  }

  /** The current version of a line; null if the line does not exist. */
  current(place: LinePlace): Promise<LineMark | null> {
    return this.#reads.run("", place);
  }

  async #read(places: readonly LinePlace[]): Promise<(LineMark | null)[]> {
    const idOf = ({ businessId, date }: LinePlace) => dayId(businessId, date);
    const projection: Record<string, 1> = {};
    for (const { queueId } of places) {
      projection[`${lineField(queueId)}.revision`] = 1;
      projection[`${lineField(queueId)}.stamp`] = 1;
    }
    const docs = (await this.#db.days.raw
      .find(
        {
          _id: { $in: [...new Set(places.map(idOf))] },
          businessId: { $in: [...new Set(places.map(({ businessId }) => businessId))] },
        },
        { projection },
      )
      .toArray()) as Pick<DayDoc, "_id" | "lines">[];
    const days = new Map(docs.map(({ _id, lines }) => [_id, lines]));
    return places.map((place) => {
      const line: Version | undefined = days.get(idOf(place))?.[place.queueId];
      return line ? versionOf(line) : null;
    });
  }
}
