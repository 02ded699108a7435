import type { EntryTimes } from "../../rules/statistics.js";
import type { Part } from "../port/page.js";
import type { DayRange } from "../port/statistics.js";
import type { Catalogue } from "./catalogue.js";
import type { Database } from "./connection.js";

/** The number of entries that one command returns. */
const step = 2_000;

/** The place of an entry in a business: its queue, day and number. */
type Place = [queueId: string, date: string, tokenNumber: number];

/** Reads the fields of entries that statistics need, queue by queue. */
export class Statistics {
  readonly #db: Database;
  readonly #catalogue: Catalogue;

  constructor(db: Database, catalogue: Catalogue) {
    this.#db = db;
    this.#catalogue = catalogue;
  }

  async entryTimes(
    businessId: string,
    { first, last }: DayRange,
    inQueue: string | null,
    after: string | null,
  ): Promise<Part<EntryTimes>> {
    const all = (await this.#catalogue.queues(businessId)).map(({ id }) => id);
    const queueIds = all.filter((id) => inQueue === null || id === inQueue);
    const start: Place = after === null ? [queueIds[0] ?? "", first, -1] : JSON.parse(after);
    const [queueId, date, tokenNumber] = start;
    const found = await this.#db.entries.raw
      .find(
        {
          ...{ businessId, queueId, date: { $gte: date, $lte: last } },
          $or: [{ date: { $gt: date } }, { tokenNumber: { $gt: tokenNumber } }],
        },
        {
          projection: {
            ...{ _id: 0, queueId: 1, date: 1, tokenNumber: 1 },
            ...{ serviceId: 1, status: 1, issuedAt: 1, startedAt: 1, completedAt: 1 },
            ...{ transferredTo: 1, transferredFrom: 1 },
          },
        },
      )
      .sort({ date: 1, tokenNumber: 1 })
      .limit(step)
      .toArray();
    const items = found.map(
      ({ tokenNumber: _, transferredTo = null, transferredFrom = null, ...times }) => ({
        ...{ ...times, transferredTo, transferredFrom },
      }),
    );
    const end = found.length === step ? found.at(-1) : undefined;
    if (end) return { items, next: placeText([queueId, end.date, end.tokenNumber]) };
    const nextQueue = queueIds[queueIds.indexOf(queueId) + 1];
    return { items, next: nextQueue === undefined ? null : placeText([nextQueue, first, -1]) };
  }
}

function placeText(place: Place): string {
  return JSON.stringify(place);
}
