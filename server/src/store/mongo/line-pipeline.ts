import type { LineDoc } from "./collections/days.js";
import {
  type Block,
  blockSize,
  type Class,
  type Contribution,
  classes,
  classOf,
  counters,
  emptyTotals,
} from "./line.js";
import type { Report } from "./reports.js";
import type { Expression } from "./time.js";

/*
 * The changes of a line as update pipelines: `withContribution` as database expressions, because many
 * instances change one document.
 */

/** A line without any tokens. */
export const emptyLine: LineDoc = {
  ...emptyTotals,
  last: 0,
  revision: 0,
  epoch: 0,
  doubt: false,
  open: {},
};

/**
 * How long a command may take to arrive after its sender gave up on it or ended: it may be delayed in the
 * network or in the database.
 */
export const latestMs = 120_000;

/**
 * A line of a day's document, or an empty one. Queue ids consist of letters and digits, so the path is safe.
 */
export const lineField = (queueId: string) => `lines.${queueId}`;
export const lineAt = (queueId: string): Expression => ({
  $ifNull: [`$${lineField(queueId)}`, { $literal: emptyLine }],
});

/** A token that needs a number, with the values that the database needs. */
export interface NumberRequest {
  readonly priority: boolean;
  readonly workMinutes: number | null;
  readonly dailyTokenLimit: number | null;
}

/**
 * Assigns the next numbers to tokens of one line, in order, and counts them as waiting. A token receives no
 * number if the day's limit of the business is reached.
 */
export function giveNumbers(
  queueId: string,
  tokens: readonly NumberRequest[],
  report: Report,
  now: Expression,
): Record<string, unknown>[] {
  const [only, ...others] = tokens;
  return only && others.length === 0
    ? giveOne(queueId, only, report, now)
    : giveMany(queueId, tokens, report, now);
}

/** Numbers a single token, the usual case. It costs a third less than the pipeline for many tokens. */
function giveOne(
  queueId: string,
  token: NumberRequest,
  report: Report,
  now: Expression,
): Record<string, unknown>[] {
  const { priority, workMinutes, dailyTokenLimit } = token;
  const ifBelowLimit = (given: Expression, refused: Expression) =>
    dailyTokenLimit === null
      ? given
      : { $cond: [{ $lt: ["$created", dailyTokenLimit] }, given, refused] };
  const number = { $add: ["$$line.last", 1] };
  const name = classOf({ priority });
  const joined = blocksWith(`$$line.${name}`, {
    b: { $floor: { $divide: [number, blockSize] } },
    w: 1,
    m: workMinutes ?? 0,
    u: Number(workMinutes === null),
  });
  const given = { $mergeObjects: ["$$line", { last: number, [name]: joined }] };
  const line = {
    $let: { vars: { line: lineAt(queueId) }, in: ifBelowLimit(given, "$$line") },
  };
  return [
    {
      $set: {
        created: { $add: ["$created", ifBelowLimit(1, 0)] },
        [lineField(queueId)]: reported(line, report, now),
      },
    },
  ];
}

function giveMany(
  queueId: string,
  tokens: readonly NumberRequest[],
  report: Report,
  now: Expression,
): Record<string, unknown>[] {
  const line = lineAt(queueId);
  const number = { $add: ["$$value.last", 1] };
  const block = { $floor: { $divide: [number, blockSize] } };
  const joined = (name: Class, priority: boolean) => ({
    $cond: [
      { $eq: ["$$this.priority", priority] },
      blocksWith(`$$value.${name}`, { b: block, w: 1, m: "$$this.m", u: "$$this.u" }),
      `$$value.${name}`,
    ],
  });
  // The new entries are counted separately first: they have one or two blocks, a line may have many.
  const withJoined = (name: Class) => ({
    $reduce: {
      input: `$given.${name}`,
      initialValue: { $getField: { field: name, input: line } },
      in: blocksWith("$$value", { b: "$$this.b", w: "$$this.w", m: "$$this.m", u: "$$this.u" }),
    },
  });
  return [
    {
      $set: {
        given: {
          $let: {
            vars: { line },
            in: {
              $reduce: {
                input: {
                  $literal: tokens.map(({ priority, workMinutes, dailyTokenLimit }) => ({
                    priority,
                    m: workMinutes ?? 0,
                    u: Number(workMinutes === null),
                    limit: dailyTokenLimit,
                  })),
                },
                initialValue: {
                  created: "$created",
                  last: "$$line.last",
                  first: [],
                  others: [],
                },
                in: {
                  $cond: [
                    {
                      $or: [
                        { $eq: ["$$this.limit", null] },
                        { $lt: ["$$value.created", "$$this.limit"] },
                      ],
                    },
                    {
                      created: { $add: ["$$value.created", 1] },
                      last: number,
                      first: joined("first", true),
                      others: joined("others", false),
                    },
                    "$$value",
                  ],
                },
              },
            },
          },
        },
      },
    },
    {
      $set: {
        created: "$given.created",
        [lineField(queueId)]: reported(
          {
            $mergeObjects: [
              line,
              { last: "$given.last", first: withJoined("first"), others: withJoined("others") },
            ],
          },
          report,
          now,
        ),
      },
    },
    { $unset: "given" },
  ];
}

/**
 * A line with a process's report. A change that began before a recount may be missing from the count, so the
 * line becomes doubtful.
 */
function reported(
  line: Expression,
  { instance, open, turn, epochs, doubt }: Report,
  now: Expression,
): Expression {
  const said = { $ifNull: [`$$line.open.${instance}.turn`, 0] };
  return {
    $let: {
      vars: { line },
      in: {
        $mergeObjects: [
          "$$line",
          {
            revision: { $add: ["$$line.revision", 1] },
            stamp: `${instance} ${turn}`,
            doubt: {
              $or: [
                "$$line.doubt",
                doubt,
                ...epochs.map((epoch) => ({ $ne: ["$$line.epoch", epoch] })),
              ],
            },
            ...(doubt && { lateUntil: { $add: [now, latestMs] } }),
            open: {
              $mergeObjects: [
                "$$line.open",
                { $cond: [{ $gt: [turn, said] }, { [instance]: { n: open, turn, at: now } }, {}] },
              ],
            },
          },
        ],
      },
    },
  };
}

/** Stores a process's report on a line, and forgets processes that have ended. */
export function keepReport(queueId: string, report: Report, now: Expression) {
  const line = withoutEnded(lineAt(queueId), now);
  return [{ $set: { [lineField(queueId)]: reported(line, report, now) } }];
}

/**
 * The line without processes that have nothing pending and have been silent for so long that none of their
 * reports may still arrive.
 */
function withoutEnded(line: Expression, now: Expression): Expression {
  const isNeeded = {
    $or: [{ $gt: ["$$said.v.n", 0] }, { $gt: ["$$said.v.at", { $subtract: [now, latestMs] }] }],
  };
  const open = {
    $arrayToObject: {
      $filter: { input: { $objectToArray: "$$line.open" }, as: "said", cond: isNeeded },
    },
  };
  return { $let: { vars: { line }, in: { $mergeObjects: ["$$line", { open }] } } };
}

/** The effect of a change of an entry on its line. */
export interface LineChange {
  readonly leaves: Contribution | null;
  readonly joins: Contribution | null;
}

export function countChange(queueId: string, change: LineChange, report: Report, now: Expression) {
  const line = changed(lineAt(queueId), change);
  return [{ $set: { [lineField(queueId)]: reported(line, report, now) } }];
}

/** Reverts a change that was counted but not made. */
export function undoChange(
  queueId: string,
  { leaves, joins }: LineChange,
  report: Report,
  now: Expression,
) {
  const created = Number(leaves !== null) - Number(joins !== null);
  const line = changed(lineAt(queueId), { leaves: joins, joins: leaves });
  return [
    {
      $set: {
        created: { $add: ["$created", created] },
        [lineField(queueId)]: reported(line, report, now),
      },
    },
  ];
}

function changed(line: Expression, { leaves, joins }: LineChange): Expression {
  const counted = counters.flatMap((counter) => {
    const difference = (joins?.counted[counter] ?? 0) - (leaves?.counted[counter] ?? 0);
    return difference === 0 ? [] : [[counter, { $add: [`$$line.${counter}`, difference] }]];
  });
  const blocks = classes.flatMap((name) => {
    const before: Expression = `$$line.${name}`;
    // The removed and the added contribution may be in the same blocks.
    const left = withWaiting(before, name, leaves, -1);
    const after = withWaiting(left, name, joins, 1);
    return after === before ? [] : [[name, after]];
  });
  return {
    $let: {
      vars: { line },
      in: {
        $mergeObjects: [
          "$$line",
          { ...Object.fromEntries(counted), ...Object.fromEntries(blocks) },
        ],
      },
    },
  };
}

/** The blocks of a class with an entry's contribution added, or removed with -1. */
function withWaiting(
  blocks: Expression,
  name: Class,
  contribution: Contribution | null,
  sign: 1 | -1,
): Expression {
  const { waiting = null } = contribution ?? {};
  if (waiting?.class !== name) return blocks;
  const { b, w, m, u } = waiting.block;
  return blocksWith(blocks, { b, w: sign * w, m: sign * m, u: sign * u });
}

/**
 * The blocks with this contribution added to the one with its number. A block whose counts are all zero is
 * left out.
 */
function blocksWith(
  blocks: Expression,
  { b, w, m, u }: Record<keyof Block, Expression>,
): Expression {
  const sum = (field: keyof Block, more: Expression) => ({
    $add: [{ $ifNull: [`$$old.${field}`, 0] }, more],
  });
  return {
    $let: {
      vars: {
        b,
        kept: { $filter: { input: blocks, as: "block", cond: { $ne: ["$$block.b", b] } } },
        old: {
          $first: { $filter: { input: blocks, as: "block", cond: { $eq: ["$$block.b", b] } } },
        },
      },
      in: {
        $concatArrays: [
          "$$kept",
          {
            $cond: [
              {
                $or: [sum("w", w), sum("m", m), sum("u", u)].map((count) => ({ $ne: [count, 0] })),
              },
              [{ b: "$$b", w: sum("w", w), m: sum("m", m), u: sum("u", u) }],
              [],
            ],
          },
        ],
      },
    },
  };
}
