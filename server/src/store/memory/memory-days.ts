import type { LineGroup } from "../../rules/day-counts.js";
import { isWaiting } from "../../rules/line.js";
import { allTokens } from "../../rules/token.js";
import type { DayKey, Last, NumberRange, QueueDayKey } from "../port.js";
import type { EntryRecord } from "../tables.js";

type Groups = Map<string, LineGroup>;

/** What is counted of the entries of each day. It changes with each entry, so that nothing counts all of them. */
export class MemoryDays {
  /** By business and day, then by queue. */
  readonly #days = new Map<string, Map<string, Groups>>();
  /** The highest number of each queue and day. */
  readonly #numbers = new Map<string, number>();
  readonly #lasts = new Map<string, Omit<Last, "number">>();

  /** Counts an entry instead of what it was before. Null: it does not exist. */
  replace(before: EntryRecord | null | undefined, after: EntryRecord | null): void {
    if (before) this.#add(before, -1);
    if (!after) return;
    this.#add(after, 1);
    const day = dayName(after);
    for (const { queueId, tokenNumber } of allTokens(after)) {
      const name = `${day} ${queueId}`;
      this.#numbers.set(name, Math.max(tokenNumber, this.#numbers.get(name) ?? 0));
    }
    const { sequence, changedAt } = this.#lasts.get(day) ?? { sequence: 0, changedAt: 0 };
    this.#lasts.set(day, {
      sequence: Math.max(sequence, after.sequenceInDay),
      changedAt: Math.max(changedAt, after.changedAt),
    });
  }

  groups(day: DayKey): LineGroup[] {
    const queues = this.#days.get(dayName(day));
    if (day.queueId !== undefined) return [...(queues?.get(day.queueId)?.values() ?? [])];
    return [...(queues?.values() ?? [])].flatMap((groups) => [...groups.values()]);
  }

  last(day: QueueDayKey): Last {
    const number = this.#numbers.get(`${dayName(day)} ${day.queueId}`) ?? 0;
    return { number, ...(this.#lasts.get(dayName(day)) ?? { sequence: 0, changedAt: 0 }) };
  }

  #add(entry: EntryRecord, sign: 1 | -1): void {
    const day = this.#days.get(dayName(entry)) ?? new Map<string, Groups>();
    this.#days.set(dayName(entry), day);
    const groups: Groups = day.get(entry.queueId) ?? new Map();
    day.set(entry.queueId, groups);
    addTo(groups, groupOf(entry, true), sign);
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
