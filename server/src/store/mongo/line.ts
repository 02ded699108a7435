import type { EntryStatus } from "@queue-api/contract";
import { type Ahead, behind, type LinePace, noneAhead } from "../../rules/line.js";
import type { Entry } from "../../rules/records.js";

/*
 * The totals of a line, so that no query reads a whole day to find a place in it: the entries by result, and
 * the waiting ones in runs of token numbers, called blocks.
 */

/** The number of token numbers in a block. */
export const blockSize = 128;

/**
 * The waiting entries in one block. Field names are short, because a line has many blocks. Two concurrent
 * changes may both remove the same entry from the count. Until the one that fails is undone, a count may be
 * negative.
 */
export interface Block {
  /** The number of the block. */
  readonly b: number;
  /** Waiting entries, the minutes of those with known work, and the number of those with unknown work. */
  readonly w: number;
  readonly m: number;
  readonly u: number;
}

/** The other counts: entries that are not waiting, and the duration of the finished ones. */
export const counters = [
  "IN_SERVICE",
  "COMPLETED",
  "CANCELED",
  "NO_SHOW",
  "finished",
  "finishedMs",
] as const;

export type Counter = (typeof counters)[number];

/** The entries with priority, and the others. */
export const classes = ["first", "others"] as const;

export type Class = (typeof classes)[number];

export type LineTotals = Readonly<Record<Counter, number> & Record<Class, readonly Block[]>>;

/** What one entry adds to its line. */
export interface Contribution {
  readonly counted: Readonly<Partial<Record<Counter, number>>>;
  readonly waiting: { readonly class: Class; readonly block: Block } | null;
}

/** The fields of an entry that affect the counts. */
export type Counted = Pick<
  Entry,
  "status" | "priority" | "tokenNumber" | "workMinutes" | "startedAt" | "completedAt"
>;

export const emptyTotals: LineTotals = {
  IN_SERVICE: 0,
  COMPLETED: 0,
  CANCELED: 0,
  NO_SHOW: 0,
  finished: 0,
  finishedMs: 0,
  first: [],
  others: [],
};

/** The number of the block that contains a token number. */
function blockNumber(tokenNumber: number): number {
  return Math.floor(tokenNumber / blockSize);
}

/** The name of the block that contains an entry. Queries use it. */
export function blockOf({
  queueId,
  date,
  tokenNumber,
}: Pick<Entry, "queueId" | "date" | "tokenNumber">) {
  return blockName({ queueId, date }, blockNumber(tokenNumber));
}

/** The name of the block with this number. */
export function blockName({ queueId, date }: Pick<Entry, "queueId" | "date">, block: number) {
  return `${queueId}:${date}:${block}`;
}

export function classOf({ priority }: Pick<Entry, "priority">): Class {
  return priority ? "first" : "others";
}

export function contributionOf(entry: Counted): Contribution {
  const { status, workMinutes, startedAt, completedAt } = entry;
  if (status === "WAITING") {
    const block = {
      b: blockNumber(entry.tokenNumber),
      w: 1,
      m: workMinutes ?? 0,
      u: Number(workMinutes === null),
    };
    return { counted: {}, waiting: { class: classOf(entry), block } };
  }
  const served = status === "COMPLETED" && startedAt !== null && completedAt !== null;
  return {
    counted: {
      [status]: 1,
      ...(served && { finished: 1, finishedMs: completedAt - startedAt }),
    },
    waiting: null,
  };
}

/** The totals with an entry's contribution added, or removed with -1. */
export function withContribution(
  totals: LineTotals,
  { counted, waiting }: Contribution,
  sign: 1 | -1 = 1,
): LineTotals {
  const after: Record<Counter, number> & Record<Class, readonly Block[]> = { ...totals };
  for (const counter of counters) after[counter] += sign * (counted[counter] ?? 0);
  if (waiting) after[waiting.class] = withBlock(totals[waiting.class], waiting.block, sign);
  return after;
}

function isEmpty({ w, m, u }: Block): boolean {
  return w === 0 && m === 0 && u === 0;
}

function withBlock(blocks: readonly Block[], { b, w, m, u }: Block, sign: 1 | -1): Block[] {
  const old = blocks.find((block) => block.b === b) ?? { b, w: 0, m: 0, u: 0 };
  const block = { b, w: old.w + sign * w, m: old.m + sign * m, u: old.u + sign * u };
  const others = blocks.filter((kept) => kept.b !== b);
  return isEmpty(block) ? others : [...others, block];
}

/** The number of entries of a line in any status. */
export function entriesIn(totals: LineTotals): number {
  const waiting = [...totals.first, ...totals.others].reduce((sum, { w }) => sum + w, 0);
  return waiting + totals.IN_SERVICE + totals.COMPLETED + totals.CANCELED + totals.NO_SHOW;
}

export function statusCounts(totals: LineTotals, waiting: number): Record<EntryStatus, number> {
  const { IN_SERVICE, COMPLETED, CANCELED, NO_SHOW } = totals;
  return { WAITING: waiting, IN_SERVICE, COMPLETED, CANCELED, NO_SHOW };
}

export function paceOf({ IN_SERVICE, finished, finishedMs }: LineTotals): LinePace {
  return { inService: IN_SERVICE, finished, finishedMs };
}

/** The waiting entries in these blocks, or only in the blocks before a given one. */
function ahead(blocks: readonly Block[], before = Number.POSITIVE_INFINITY): Ahead {
  let all = noneAhead;
  for (const { b, w, m, u } of blocks) {
    if (b >= before || w <= 0) continue;
    all = together(all, { people: w, knownMinutes: Math.max(0, m), unknown: Math.max(0, u) });
  }
  return all;
}

/**
 * A place in the line by blocks: its class, the numbers of the blocks from its own on, and how many entries
 * of these blocks are before it.
 */
export interface PlaceInBlocks {
  readonly class: Class;
  readonly blocks: readonly number[];
  readonly behind: number;
}

/**
 * The blocks that contain this number of entries from a place of the line on: one run of blocks with priority, and
 * one of the others.
 */
export function blocksFrom(totals: LineTotals, place: number, people: number): PlaceInBlocks[] {
  let behind = place - 1;
  let missing = people;
  const runs: PlaceInBlocks[] = [];
  for (const name of classes) {
    const blocks: number[] = [];
    let skipped = 0;
    for (const { b, w } of totals[name].toSorted((one, other) => one.b - other.b)) {
      if (missing <= 0) break;
      if (blocks.length === 0 && behind >= w) {
        behind -= w;
        continue;
      }
      if (blocks.length === 0) {
        skipped = behind;
        behind = 0;
        missing += skipped;
      }
      blocks.push(b);
      missing -= w;
    }
    if (blocks.length > 0) runs.push({ class: name, blocks, behind: skipped });
  }
  return runs;
}

function together(a: Ahead, b: Ahead): Ahead {
  return {
    people: a.people + b.people,
    knownMinutes: a.knownMinutes + b.knownMinutes,
    unknown: a.unknown + b.unknown,
  };
}

/** What is ahead of an entry that receives the next number. */
export function aheadOfNewcomer({ first, others }: LineTotals, priority: boolean): Ahead {
  return priority ? ahead(first) : together(ahead(first), ahead(others));
}

/** The fields of a waiting entry that decide its place in the line. */
export type Waiting = Pick<Entry, "priority" | "tokenNumber" | "workMinutes">;

/** Computes what is ahead of waiting entries that are visited in token order, starting in one block. */
export class Places {
  #first: Ahead;
  #others: Ahead;

  /** `ofBlock` contains the waiting entries of the first block. Those before `start` are ahead of it. */
  constructor(totals: LineTotals, start: Waiting, ofBlock: readonly Waiting[]) {
    const block = blockNumber(start.tokenNumber);
    this.#first = ahead(totals.first, block);
    this.#others = together(ahead(totals.first), ahead(totals.others, block));
    for (const entry of ofBlock) if (entry.tokenNumber < start.tokenNumber) this.#pass(entry);
  }

  /** What is ahead of the next waiting entry. */
  next(entry: Waiting): Ahead {
    const before = entry.priority ? this.#first : this.#others;
    this.#pass(entry);
    return before;
  }

  #pass({ priority, workMinutes }: Waiting): void {
    if (priority) this.#first = behind(this.#first, workMinutes);
    else this.#others = behind(this.#others, workMinutes);
  }
}
