import type { Page } from "../rules/list.js";
import type { DayRange, EntryTimes } from "../rules/statistics.js";
import { entryOf } from "./entry-record.js";
import { view } from "./operation.js";

/** The maximum number of entries in a batch. */
const batchSize = 500;

/** The data of the statistics. */
export const statistics = {
  /** The entries of these days, of one queue or (null) of all: the page at a cursor, or (null) the first one. */
  entryTimes: view(
    async (
      tx,
      businessId: string,
      { first, last }: DayRange,
      queueId: string | null,
      after: string | null,
    ): Promise<Page<EntryTimes>> => {
      const [date = "", sequence] = after?.split(" ") ?? [];
      const found = await tx.list("entries", {
        where: { businessId },
        order: ["date", "sequenceInDay"],
        after: after === null ? null : [date, Number(sequence)],
        from: first,
        to: last,
        limit: batchSize,
        without: "keyed",
      });
      const end = found.length === batchSize ? found.at(-1) : undefined;
      const asked = found.filter((entry) => queueId === null || entry.queueId === queueId);
      return {
        items: asked.map(entryOf),
        nextCursor: end ? `${end.date} ${end.sequenceInDay}` : null,
      };
    },
  ),
};
