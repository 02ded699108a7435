import type { EntryStatus } from "@queue-api/contract";
import { type Ahead, behind, type LinePace, nobodyAhead } from "../../rules/line.js";
import type { Entry } from "../../rules/records.js";

/*
 * What is counted of a line, so that no query reads a whole day to find a place in it: how its entries
 * ended, and the waiting ones in runs of token numbers, called blocks.
 */

/** How many token numbers make a block. */
export const blockSize = 128;

/**
 * The people waiting in one block. Short names: a line has many blocks. Two changes that are both counted
 * before one of them turns out to be too late take the same person out: until that one is taken back, a
 * number may be below zero.
 */
export interface Block {
  /** Number of the block. */
  readonly b: number;
  /** People waiting, the minutes of those whose work is known, and how many have a work that is not. */
  readonly w: number;
  readonly m: number;
  readonly u: number;
}

/** What else is counted: entries that do not wait, and the minutes of the finished ones. */
export const counters = [
  "IN_SERVICE",
  "COMPLETED",
  "CANCELED",
  "NO_SHOW",
  "finished",
  "finishedMs",
] as const;

export type Counter = (typeof counters)[number];

/** Those with priority, and the others. */
export const classes = ["first", "others"] as const;

export type Class = (typeof classes)[number];

export type LineTotals = Readonly<Record<Counter, number> & Record<Class, readonly Block[]>>;

/** What one entry adds to its line. */
export interface Contribution {
  readonly counted: Readonly<Partial<Record<Counter, number>>>;
  readonly waiting: { readonly class: Class; readonly block: Block } | null;
}

/** An entry as far as the counting goes. */
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

/** The number of the block that a token number stands in. */
function blockNumber(tokenNumber: number): number {
  return Math.floor(tokenNumber / blockSize);
}

/** The run of numbers that an entry stands in, as it is found by. */
export function blockOf({
  queueId,
  date,
  tokenNumber,
}: Pick<Entry, "queueId" | "date" | "tokenNumber">) {
  return blockName({ queueId, date }, blockNumber(tokenNumber));
}

/** The same for the number of a block. */
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

/** The totals with an entry's contribution added or, with -1, taken away. */
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

/** The entries of a line, waiting or not. */
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

/** The people waiting in these blocks; with a limit, only in those before it. */
function ahead(blocks: readonly Block[], before = Number.POSITIVE_INFINITY): Ahead {
  let all = nobodyAhead;
  for (const { b, w, m, u } of blocks) {
    if (b >= before || w <= 0) continue;
    all = together(all, { people: w, knownMinutes: Math.max(0, m), unknown: Math.max(0, u) });
  }
  return all;
}

/** A person's place as their block has it: in which class, in which blocks from theirs on, and behind how many. */
export interface PlaceInBlocks {
  readonly class: Class;
  readonly blocks: readonly number[];
  readonly behind: number;
}

/**
 * The blocks in which so many people stand, from a place of the line on: one run of blocks of those with
 * priority, and one of the others.
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

/** What is ahead of an entry that takes the next number. */
export function aheadOfNewcomer({ first, others }: LineTotals, priority: boolean): Ahead {
  return priority ? ahead(first) : together(ahead(first), ahead(others));
}

/** Somebody waiting, as far as a place in the line depends on them. */
export type Waiting = Pick<Entry, "priority" | "tokenNumber" | "workMinutes">;

/** Tells the places of waiting entries that are met in token order, beginning in one block. */
export class Places {
  #first: Ahead;
  #others: Ahead;

  /** The block's own waiting entries are read, not counted; those before the one met first stand ahead. */
  constructor(totals: LineTotals, start: Waiting, ofBlock: readonly Waiting[]) {
    const block = blockNumber(start.tokenNumber);
    this.#first = ahead(totals.first, block);
    this.#others = together(ahead(totals.first), ahead(totals.others, block));
    for (const entry of ofBlock) if (entry.tokenNumber < start.tokenNumber) this.#pass(entry);
  }

  /** Who stands before the next waiting entry. */
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
