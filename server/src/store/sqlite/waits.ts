import {
  averageWait,
  type LinePace,
  type PackedWork,
  packWork,
  type Work,
} from "../../rules/line.js";
import type { Connection } from "./connection.js";
import { blockBits } from "./line.js";

/** A block of one class that contains waiting entries. */
export type BlockRow = [block: number, waiting: number, stamp: number];

/** How many entries' work is remembered, at four bytes each. */
const mostPeople = 4_000_000;

interface KnownBlock {
  readonly stamp: number;
  readonly work: PackedWork;
}

interface KnownLine {
  /** By class and block number. */
  readonly blocks: ReadonlyMap<string, KnownBlock>;
  /** A stamp of everything that the average depends on. */
  readonly stamp: string;
  readonly average: number | null;
}

/**
 * The average wait of long lines. It depends on all waiting entries, so their work is remembered by block,
 * and only changed blocks are read again: each change of a block gives it a new random stamp.
 */
export function prepareWaits(db: Connection) {
  const blocksOf = db.query<BlockRow[]>(`
    SELECT json_group_array(json_array(block, waiting, stamp)) FROM (
      SELECT block, waiting, stamp FROM line_blocks
      WHERE line_id = ? AND priority = ? AND level = 2 AND waiting > 0 ORDER BY block LIMIT -1)`);
  const workIn = db.query<Work[]>(`
    SELECT json_group_array(work_minutes) FROM (
      SELECT work_minutes FROM entries
      WHERE line_id = ?1 AND status = 'WAITING' AND priority = ?2
        AND token_number >= ?3 << ${blockBits[2]} AND token_number < (?3 + 1) << ${blockBits[2]}
      ORDER BY token_number LIMIT -1)`);
  /** Ordered by last use, the most recent at the end. */
  const known = new Map<number, KnownLine>();
  let people = 0;

  const peopleIn = ({ blocks }: KnownLine) =>
    [...blocks.values()].reduce((sum, { work }) => sum + work.length, 0);

  function forget(line: number): void {
    const lost = known.get(line);
    if (!lost) return;
    people -= peopleIn(lost);
    known.delete(line);
  }

  function remember(line: number, read: KnownLine): void {
    forget(line);
    known.set(line, read);
    people += peopleIn(read);
    for (const oldest of known.keys()) {
      if (people <= mostPeople || oldest === line) break;
      forget(oldest);
    }
  }

  /** The blocks with priority, then the others: the order of the line. */
  const inOrder = (line: number) =>
    ([1, 0] as const).map((priority) => ({ priority, blocks: blocksOf(line, priority) ?? [] }));

  return {
    /** The `averageWait` of all waiting entries of a line. Must be called within one read transaction. */
    average(line: number, pace: LinePace): number | null {
      const classes = inOrder(line);
      const stamp = JSON.stringify([pace, classes]);
      const before = known.get(line);
      if (before?.stamp === stamp) return before.average;
      const blocks = new Map<string, KnownBlock>();
      for (const { priority, blocks: rows } of classes) {
        for (const [block, , stamp] of rows) {
          const name = `${priority}:${block}`;
          const same = before?.blocks.get(name);
          const read = () => packWork(workIn(line, priority, block) ?? []);
          blocks.set(name, same?.stamp === stamp ? same : { stamp, work: read() });
        }
      }
      const average = averageWait(
        [...blocks.values()].map(({ work }) => work),
        pace,
      );
      remember(line, { blocks, stamp, average });
      return average;
    },

    /** The class of the entry at a place, the number to start from, and how many entries to skip. */
    find(line: number, place: number) {
      let behind = place - 1;
      for (const { priority, blocks } of inOrder(line)) {
        for (const [block, waiting] of blocks) {
          if (behind < waiting) return { priority, from: block << blockBits[2], behind };
          behind -= waiting;
        }
      }
      return null;
    },
  };
}

export type Waits = ReturnType<typeof prepareWaits>;
