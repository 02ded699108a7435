import type { EntryTimes } from "../../rules/statistics.js";
import type { StatisticsStore } from "../port/statistics.js";
import type { Connection } from "./connection.js";
import type { Steps } from "./steps.js";

/** The number of entries that one step reads. Other steps run between two of them. */
const step = 500;

/** The place of an entry among those of its business. */
type Place = [date: string, placeInDay: number];

/** Reads the fields of entries that statistics need, in the order in which they were issued. */
export function prepareStatistics(db: Connection): Steps<StatisticsStore> {
  const timesAfter = db.query<[place: number, times: EntryTimes][]>(`
    SELECT json_group_array(json_array(place_in_day, json_object('queueId', queue_id,
      'serviceId', service_id, 'date', date, 'status', status,
      'issuedAt', issued_at, 'startedAt', started_at, 'completedAt', completed_at)))
    FROM (SELECT * FROM entries
      WHERE business_id = ? AND (date, place_in_day) > (?, ?) AND date <= ?
      ORDER BY date, place_in_day LIMIT ${step})`);

  return {
    entryTimes(businessId, { first, last }, inQueue, after) {
      const [date, place] = after === null ? ([first, 0] as const) : (JSON.parse(after) as Place);
      const rows = timesAfter(businessId, date, place, last) ?? [];
      const end = rows.length === step ? rows.at(-1) : undefined;
      const next: Place | null = end ? [end[1].date, end[0]] : null;
      const items = rows.map(([, times]) => times);
      return {
        items: items.filter(({ queueId }) => inQueue === null || queueId === inQueue),
        next: next && JSON.stringify(next),
      };
    },
  };
}
