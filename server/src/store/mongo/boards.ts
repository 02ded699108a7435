import type { Entry } from "../../rules/records.js";
import type { Board, BoardRequest, QueueOnBoard } from "../port/boards.js";
import type { QueueDay } from "../port/queues.js";
import type { Catalogue } from "./catalogue.js";
import { Coalescer, lanes } from "./coalescer.js";
import { dayId } from "./collections/days.js";
import { hidden, readEntry } from "./collections/entries.js";
import type { Database } from "./connection.js";
import type { Entries } from "./entries.js";
import type { LineTotals } from "./line.js";
import type { LineNow, Lines } from "./lines.js";
import type { StoreTime } from "./time.js";

interface Parts {
  readonly time: StoreTime;
  readonly catalogue: Catalogue;
  readonly entries: Entries;
  readonly lines: Lines;
}

/** A board whose version is asked for. */
interface BoardPlace {
  readonly businessId: string;
  readonly date: string;
}

/** The fields of a line that show whether anything in it changed. */
type LineMark = Pick<LineNow["line"], "revision" | "doubt" | "lateUntil" | "open">;

/** The lines of a day. Each has its own database time, because time alone can make it doubtful. */
interface DayMarks {
  readonly _id: string;
  readonly now: number;
  readonly lines: readonly { readonly k: string; readonly v: LineMark }[];
}

/** Reads all queues of a business on one day, for the board. */
export class Boards {
  readonly #db: Database;
  readonly #parts: Parts;
  // Concurrent requests of all businesses share two commands.
  readonly #versions = new Coalescer<BoardPlace, string>(
    (_, places) => this.#readVersions(places),
    {
      lanes,
    },
  );

  constructor(db: Database, parts: Parts) {
    this.#db = db;
    this.#parts = parts;
  }

  /**
   * The revisions of the offer and of the business's lines. A change of an entry is counted in its line
   * before it is made, and settled afterwards: each writes a new revision. If the process stops responding in
   * between, the line becomes doubtful, which also changes the version.
   */
  version(businessId: string, date: string): Promise<string> {
    return this.#versions.run("", { businessId, date });
  }

  /** A change of the offer that comes between the two reads shows in the next version. */
  async #readVersions(places: readonly BoardPlace[]): Promise<string[]> {
    const { businesses, days } = this.#db;
    const businessIds = [...new Set(places.map(({ businessId }) => businessId))];
    const dayIds = [...new Set(places.map(({ businessId, date }) => dayId(businessId, date)))];
    const mark = {
      revision: "$$line.v.revision",
      doubt: "$$line.v.doubt",
      lateUntil: "$$line.v.lateUntil",
      open: "$$line.v.open",
    };
    const lines = {
      $map: {
        input: { $objectToArray: "$lines" },
        as: "line",
        in: { k: "$$line.k", v: mark },
      },
    };
    const [offers, marks] = await Promise.all([
      businesses.raw.find({ _id: { $in: businessIds } }, { projection: { revision: 1 } }).toArray(),
      days.raw
        .find(
          { _id: { $in: dayIds }, businessId: { $in: businessIds } },
          { projection: { now: this.#parts.time.expression(), lines } },
        )
        .toArray() as Promise<unknown> as Promise<DayMarks[]>,
    ]);
    const revisions = new Map(offers.map(({ _id, revision }) => [_id, revision]));
    const marksOf = new Map(marks.map((day) => [day._id, day]));
    return places.map(({ businessId, date }) => {
      const revision = revisions.get(businessId);
      if (revision === undefined) return "none";
      const { now = 0, lines = [] } = marksOf.get(dayId(businessId, date)) ?? {};
      const lineMarks = lines.map(({ k, v }) => [
        k,
        v.revision,
        this.#parts.lines.isDoubtful({ line: v, now }),
      ]);
      return JSON.stringify([revision, lineMarks]);
    });
  }

  /** Reads the version first, so that a change during the other reads gives a different version. */
  async get(businessId: string, date: string, request: BoardRequest): Promise<Board> {
    const version = await this.version(businessId, date);
    const [services, queues] = await Promise.all([
      this.#parts.catalogue.services(businessId),
      this.#parts.catalogue.queues(businessId),
    ]);
    const onBoard = queues.map(async (queue) => {
      const { day, totals } = await this.#parts.entries.countedDay(queue, date);
      return this.#people(day, totals, date, request);
    });
    return { version, services, queues: await Promise.all(onBoard) };
  }

  async #people(
    day: QueueDay,
    totals: LineTotals,
    date: string,
    { limit, part }: BoardRequest,
  ): Promise<QueueOnBoard> {
    const { id: queueId, businessId } = day.queue;
    const list = { businessId, queueId, date };
    const [inService, first, wanted] = await Promise.all([
      this.#db.entries.model
        .find({ ...list, status: "IN_SERVICE" }, hidden)
        .sort({ tokenNumber: 1 })
        .lean(),
      this.#parts.entries.waiting(list, totals, 1, limit),
      part?.queueId === queueId
        ? this.#parts.entries.waiting(list, totals, part.from, part.limit)
        : null,
    ]);
    return {
      ...day,
      inService: inService.map(readEntry).sort(byCall),
      next: first[0] ?? null,
      line: wanted ?? first,
    };
  }
}

function byCall(a: Entry, b: Entry): number {
  return (a.startedAt ?? 0) - (b.startedAt ?? 0);
}
