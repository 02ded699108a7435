import type { LineGroup } from "../../rules/day-counts.js";
import { isWaiting } from "../../rules/line.js";
import { allTokens } from "../../rules/token.js";
import type { DayKey, Last, NumberRange, QueueDayKey } from "../port.js";
import type { EntryRecord } from "../tables.js";

type Groups = Map<string, LineGroup>;

/** What is known of the entries of a business on one day. */
interface Day {
  readonly groups: Groups;
  /** The highest number of each queue. */
  readonly numbers: Map<string, number>;
  sequence: number;
  changedAt: number;
}

/** What is counted of the entries of each day. It changes with each entry, so that nothing counts all of them. */
export class MemoryDays {
  readonly #days = new Map<string, Day>();

  /** Counts an entry instead of what it was before. Null: it does not exist. */
  replace(before: EntryRecord | null | undefined, after: EntryRecord | null): void {
    if (before) addTo(this.#day(before).groups, groupOf(before, true), -1);
    if (!after) return;
    const day = this.#day(after);
    this.#days.set(dayName(after), day);
    addTo(day.groups, groupOf(after, true), 1);
    for (const { queueId, tokenNumber } of allTokens(after)) {
      day.numbers.set(queueId, Math.max(tokenNumber, day.numbers.get(queueId) ?? 0));
    }
    day.sequence = Math.max(day.sequence, after.sequenceInDay);
    day.changedAt = Math.max(day.changedAt, after.changedAt);
  }

  groups({ queueId, ...day }: DayKey): LineGroup[] {
    const all = [...this.#day(day).groups.values()];
    return queueId === undefined ? all : all.filter((group) => group.queueId === queueId);
  }

  last({ queueId, ...day }: QueueDayKey): Last {
    const { numbers, sequence, changedAt } = this.#day(day);
    return { number: numbers.get(queueId) ?? 0, sequence, changedAt };
  }

  /** What is known of a day. For a day without entries it is empty, and not stored. */
  #day(key: DayKey): Day {
    const unknown = { groups: new Map(), numbers: new Map(), sequence: 0, changedAt: 0 };
    return this.#days.get(dayName(key)) ?? unknown;
  }
}

/** The groups of entries around those that were read. */
export function groupsOf(
  entries: readonly EntryRecord[],
  { first, last }: NumberRange,
): LineGroup[] {
  const groups: Groups = new Map();
  for (const entry of entries) {
    const isRead = entry.tokenNumber >= first && entry.tokenNumber <= last;
    if (isWaiting(entry) && isRead) continue;
    addTo(groups, groupOf(entry, entry.tokenNumber < first), 1);
  }
  return [...groups.values()];
}

function groupOf(entry: EntryRecord, isBefore: boolean): LineGroup {
  const { queueId, status, priority, workMinutes, startedAt, completedAt } = entry;
  const finishedMs = startedAt === null || completedAt === null ? 0 : completedAt - startedAt;
  return { queueId, status, priority, workMinutes, isBefore, entries: 1, finishedMs };
}

function addTo(groups: Groups, group: LineGroup, sign: 1 | -1): void {
  const { queueId, status, priority, workMinutes, isBefore } = group;
  const name = `${queueId} ${status} ${priority} ${workMinutes} ${isBefore}`;
  const known = groups.get(name);
  const entries = (known?.entries ?? 0) + sign * group.entries;
  const finishedMs = (known?.finishedMs ?? 0) + sign * group.finishedMs;
  if (entries === 0) groups.delete(name);
  else groups.set(name, { ...group, entries, finishedMs });
}

function dayName({ businessId, date }: DayKey): string {
  return `${businessId} ${date}`;
}
