import { randomBytes } from "node:crypto";
import { openStore, type Store } from "@queue-api/server";
import { table, verdict } from "../table.js";
import { fill, type Size, TookTooLong } from "./data.js";
import { daysAsked, Measured, mostRounds, type Operation, operations } from "./measure.js";

/** Least ratio of the speed at a size to the speed at the smallest. */
const goal = 0.8;

const usual: Size = { businesses: 10, entries: 10_000, auditRows: 10_000, waiting: 10 };

/** The rows of the table, each from its smallest size to its largest. A scale below 1 reduces everything except the waiting entries. */
function dimensions(scale: number): Readonly<Record<string, readonly Size[]>> {
  const scaled = (count: number) => Math.max(10, Math.round(count * scale));
  const rest = { ...usual, entries: scaled(usual.entries), auditRows: scaled(usual.auditRows) };
  return {
    businesses: [10, 1_000, 10_000].map((count) => ({ ...rest, businesses: scaled(count) })),
    entries: [100_000, 5_000_000].map((count) => ({ ...rest, entries: scaled(count) })),
    "audit rows": [100_000, 10_000_000].map((count) => ({ ...rest, auditRows: scaled(count) })),
    waiting: [1, 10, 200].map((waiting) => ({ ...rest, waiting })),
  };
}

const grown = {
  businesses: ({ businesses }: Size) => businesses,
  entries: ({ entries }: Size) => entries,
  "audit rows": ({ auditRows }: Size) => auditRows,
  waiting: ({ waiting }: Size) => waiting,
} as const;

export interface GrowthOptions {
  /** The factor for all sizes. */
  readonly scale: number;
  /** The maximum time to write one size, in minutes. */
  readonly minutes: number;
  readonly rounds: number;
  /** The URL of a new empty database. */
  readonly newDatabase: () => string;
  readonly report: (progress: string) => void;
}

interface Opened {
  readonly size: number;
  readonly store: Store;
  readonly measured: Measured;
}

/** Measures how the cost of each operation grows with each kind of data, and returns a table. */
export async function growth(options: GrowthOptions): Promise<string> {
  const lines: string[][] = [];
  for (const [name, sizes] of Object.entries(dimensions(options.scale))) {
    const opened: Opened[] = [];
    try {
      for (const size of sizes) {
        const count = grown[name as keyof typeof grown](size);
        const store = await openStore(options.newDatabase(), { random: randomBytes });
        const now = Date.now();
        const measured = new Measured(store, now);
        opened.push({ size: count, store, measured });
        if (!(await filled(store, size, now, `${number(count)} ${name}`, options))) {
          opened.pop();
          await store.close();
          lines.push([name, number(count), "not run: writing it took too long"]);
        }
      }
      for (let round = 0; round <= Math.min(options.rounds, mostRounds); round++) {
        await takeTurns(
          opened.map(({ measured }) => measured),
          { counts: round > 0 },
        );
      }
      lines.push(...report(name, opened));
      if (name === "entries") lines.push(...reportDays(opened));
    } finally {
      for (const { store } of opened) await store.close();
    }
  }
  return table(
    ["what grows", "size", "operation", "median", "our processor", "goal", "ratio", ""],
    lines,
  );
}

/** The sizes take turns with each operation, so that other work of the machine affects all of them. */
async function takeTurns(
  sizes: readonly Measured[],
  { counts }: { readonly counts: boolean },
): Promise<void> {
  for (const [operation, times] of Object.entries(operations)) {
    for (let time = 0; time < times; time++) {
      for (const size of sizes) await size.take(operation as Operation, { counts });
    }
  }
}

/** False when writing took too long. */
async function filled(
  store: Store,
  size: Size,
  now: number,
  name: string,
  { minutes, report }: GrowthOptions,
): Promise<boolean> {
  const began = performance.now();
  let reportedAt = began;
  const seconds = () => Math.round((performance.now() - began) / 1000);
  try {
    await fill(store, size, {
      now,
      until: began + minutes * 60_000,
      onProgress(kind, records, of) {
        if (performance.now() - reportedAt < 5_000) return;
        reportedAt = performance.now();
        report(`${name}: ${number(records)} of ${number(of)} ${kind} after ${seconds()} s`);
      },
    });
    report(`${name}: written in ${seconds()} s`);
    return true;
  } catch (error) {
    if (!(error instanceof TookTooLong)) throw error;
    report(`${name}: given up after ${seconds()} s`);
    return false;
  }
}

function report(name: string, opened: readonly Opened[]): string[][] {
  const [smallest] = opened;
  if (!smallest) return [];
  const compared = (Object.keys(operations) as Operation[]).filter(
    (operation) => !(operation in daysAsked) || daysAsked[operation as StatisticsOf] === 1,
  );
  return compared.flatMap((operation) =>
    opened.map(({ size, measured }) => {
      const { time, processor } = measured.median(operation);
      const cells = [name, number(size), operation, milliseconds(time), milliseconds(processor)];
      if (measured === smallest.measured) return cells;
      const ratio = smallest.measured.median(operation).time / time;
      return [...cells, ...judged(ratio)];
    }),
  );
}

type StatisticsOf = keyof typeof daysAsked;

/** Compares the statistics of several days with those of one day, at the largest number of entries. */
function reportDays(opened: readonly Opened[]): string[][] {
  const largest = opened.at(-1);
  if (!largest) return [];
  const { time: one } = largest.measured.median("a day's statistics");
  return Object.entries(daysAsked).map(([operation, days]) => {
    const { time, processor } = largest.measured.median(operation as StatisticsOf);
    const cells = ["days asked", number(days), "statistics", milliseconds(time)];
    cells.push(milliseconds(processor));
    return days === 1 ? cells : [...cells, ...judged((one * days) / time)];
  });
}

/** The goal, a ratio, and whether it meets the goal. */
function judged(ratio: number): string[] {
  return [`≥ ${goal.toFixed(2)}`, ratio.toFixed(2), verdict(ratio >= goal)];
}

function milliseconds(time: number): string {
  return `${time.toFixed(2)} ms`;
}

function number(value: number): string {
  return value.toLocaleString("en");
}
