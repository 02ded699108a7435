import type { LineDoc } from "./collections/days.js";
import {
  type Block,
  blockSize,
  type Class,
  type Contribution,
  counters,
  emptyTotals,
} from "./line.js";
import type { Expression } from "./time.js";
import type { Ending } from "./writer.js";

/*
 * The changes of a line as update pipelines: the twins of `withContribution`, to be done in the
 * database, where many instances do them to one document.
 */

/** A line that nobody has taken a number of. */
export const emptyLine: LineDoc = {
  ...emptyTotals,
  last: 0,
  begun: 0,
  ended: 0,
  epoch: 0,
  doubt: false,
  at: 0,
};

/** A line of a day's document, or an empty one. Queue ids are letters and digits: a safe path. */
export const lineField = (queueId: string) => `lines.${queueId}`;
export const lineAt = (queueId: string): Expression => ({
  $ifNull: [`$${lineField(queueId)}`, { $literal: emptyLine }],
});

/** A token that asks for a number, as the database needs to know it. */
export interface NumberRequest {
  readonly priority: boolean;
  readonly workMinutes: number | null;
  readonly dailyTokenLimit: number | null;
}

/**
 * Gives the next numbers to tokens of one line, in their order, to each unless its business's day is
 * full; counts them as waiting, and as changes begun.
 */
export function giveNumbers(
  queueId: string,
  tokens: readonly NumberRequest[],
  endings: readonly Ending[],
  now: Expression,
): Record<string, unknown>[] {
  const line = endings.length === 0 ? lineAt(queueId) : withEndings(queueId, endings);
  const number = { $add: ["$$value.last", 1] };
  const block = { $floor: { $divide: [number, blockSize] } };
  const joined = (name: Class, priority: boolean) => ({
    $cond: [
      { $eq: ["$$this.priority", priority] },
      blocksWith(`$$value.${name}`, { b: block, w: 1, m: "$$this.m", u: "$$this.u" }),
      `$$value.${name}`,
    ],
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
                  begun: "$$line.begun",
                  first: "$$line.first",
                  others: "$$line.others",
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
                      begun: { $add: ["$$value.begun", 1] },
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
        [lineField(queueId)]: {
          $cond: [
            { $eq: ["$given.created", "$created"] },
            line,
            {
              $mergeObjects: [
                line,
                {
                  last: "$given.last",
                  begun: "$given.begun",
                  first: "$given.first",
                  others: "$given.others",
                  at: now,
                },
              ],
            },
          ],
        },
      },
    },
    { $unset: "given" },
  ];
}

/** A line with these changes ended; one that was recounted meanwhile does not know them. */
function withEndings(queueId: string, endings: readonly Ending[]): Expression {
  const known = (epoch: number) => ({ $eq: ["$$line.epoch", epoch] });
  return {
    $let: {
      vars: { line: lineAt(queueId) },
      in: {
        $mergeObjects: [
          "$$line",
          {
            ended: {
              $add: [
                "$$line.ended",
                ...endings.map(({ epoch, changes }) => ({ $cond: [known(epoch), changes, 0] })),
              ],
            },
            doubt: {
              $or: [
                "$$line.doubt",
                ...endings.map(({ epoch, doubt }) => (doubt ? true : { $not: [known(epoch)] })),
              ],
            },
          },
        ],
      },
    },
  };
}

/** The twin of the endings above. */
export function withEnded(line: LineDoc, endings: readonly Ending[]): LineDoc {
  return {
    ...line,
    ended: endings
      .filter(({ epoch }) => epoch === line.epoch)
      .reduce((sum, { changes }) => sum + changes, line.ended),
    doubt: line.doubt || endings.some(({ epoch, doubt }) => doubt || epoch !== line.epoch),
  };
}

/** What a change of an entry does to its line. */
export interface LineChange {
  readonly leaves: Contribution | null;
  readonly joins: Contribution | null;
}

/** Counts a change, as begun. */
export function beginChange(queueId: string, change: LineChange, now: Expression) {
  const line = lineAt(queueId);
  const begun = { begun: { $add: ["$$line.begun", 1] }, at: now };
  return [{ $set: { [lineField(queueId)]: changed(line, change, begun) } }];
}

/** Takes back a change that was begun but did not happen. */
export function undoChange(queueId: string, { leaves, joins }: LineChange) {
  const line = lineAt(queueId);
  const ended = { ended: { $add: ["$$line.ended", 1] } };
  const created = Number(leaves !== null) - Number(joins !== null);
  return [
    {
      $set: {
        created: { $add: ["$created", created] },
        [lineField(queueId)]: changed(line, { leaves: joins, joins: leaves }, ended),
      },
    },
  ];
}

function changed(line: Expression, { leaves, joins }: LineChange, more: object): Expression {
  const counted = counters.flatMap((counter) => {
    const difference = (joins?.counted[counter] ?? 0) - (leaves?.counted[counter] ?? 0);
    return difference === 0 ? [] : [[counter, { $add: [`$$line.${counter}`, difference] }]];
  });
  const blocks = [
    ...(leaves?.waiting ? [waitingChange(leaves.waiting, -1)] : []),
    ...(joins?.waiting ? [waitingChange(joins.waiting, 1)] : []),
  ];
  return {
    $let: {
      vars: { line },
      in: {
        $mergeObjects: [
          "$$line",
          { ...Object.fromEntries(counted), ...Object.fromEntries(blocks), ...more },
        ],
      },
    },
  };
}

function waitingChange(
  { class: name, block: { b, w, m, u } }: NonNullable<Contribution["waiting"]>,
  sign: 1 | -1,
): [Class, Expression] {
  return [name, blocksWith(`$$line.${name}`, { b, w: sign * w, m: sign * m, u: sign * u })];
}

/** Blocks with this added to the one of its number; one without people is left out. */
function blocksWith(blocks: string, { b, w, m, u }: Record<keyof Block, Expression>): Expression {
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
              { $gt: [sum("w", w), 0] },
              [{ b: "$$b", w: sum("w", w), m: sum("m", m), u: sum("u", u) }],
              [],
            ],
          },
        ],
      },
    },
  };
}
