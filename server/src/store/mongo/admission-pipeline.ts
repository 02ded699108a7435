import { limits } from "@queue-api/contract/limits";
import { clockSlackMs } from "../../rules/clock-slack.js";
import { ownerSignInLimit } from "../../rules/sign-in.js";
import type { Expression } from "./time.js";

/*
 * The windows of `decideAdmission` and `decideSignIn` as update pipelines, so that a limit is enforced in one
 * step with any number of instances. The rule itself decides the response, from the previous windows and the
 * database's time. A property test compares the pipelines with the rules.
 */

/** An attempt with a valid key, with the values that the database needs. */
export interface ChargeRequest {
  readonly write: boolean;
  /** The caller's address; see `addressDigits`. */
  readonly address: string | null;
}

/** `currentWindow` */
function current(window: string, seconds: number, now: string): Expression {
  return {
    $cond: [
      {
        $and: [
          { $ne: [{ $ifNull: [window, null] }, null] },
          { $lte: [`${window}.startedAt`, { $add: [now, clockSlackMs] }] },
          { $lt: [now, { $add: [`${window}.startedAt`, seconds * 1000] }] },
        ],
      },
      window,
      { startedAt: now, count: 0 },
    ],
  };
}

/** `charged`; the marks of the window stay. */
function charged(window: string): Expression {
  return { $mergeObjects: [window, { count: { $add: [`${window}.count`, 1] } }] };
}

/** Stores the document's own window, as `currentWindow` returns it, in the field `window`. */
function keptWindow(seconds: number, now: Expression): Record<string, unknown> {
  const vars = { now, kept: { startedAt: "$startedAt", count: "$count" } };
  return { $set: { window: { $let: { vars, in: current("$$kept", seconds, "$$now") } } } };
}

/** Charges a key's windows for attempts with it, in order. */
export function chargeKey(
  attempts: readonly ChargeRequest[],
  now: Expression,
): Record<string, unknown>[] {
  const allowed = {
    $or: [
      { $eq: [{ $size: "$allowRanges" }, 0] },
      {
        $anyElementTrue: {
          $map: {
            input: "$allowRanges",
            as: "range",
            in: {
              $and: [
                { $lte: ["$$range.from", "$$this.address"] },
                { $gte: ["$$range.to", "$$this.address"] },
              ],
            },
          },
        },
      },
    ],
  };
  const room = {
    $and: [
      { $eq: ["$business.apiAccess", true] },
      allowed,
      { $lt: ["$$requests.count", "$requestsPerMinute"] },
      { $or: [{ $not: ["$$this.write"] }, { $lt: ["$$writes.count", "$writesPerMinute"] }] },
    ],
  };
  const seconds = limits.keyWindowSeconds;
  return [
    {
      $set: {
        windows: {
          $let: {
            vars: { now },
            in: {
              $reduce: {
                input: { $literal: attempts },
                initialValue: {
                  requests: { $ifNull: ["$windows.requests", null] },
                  writes: { $ifNull: ["$windows.writes", null] },
                },
                in: {
                  $let: {
                    vars: {
                      requests: current("$$value.requests", seconds, "$$now"),
                      writes: current("$$value.writes", seconds, "$$now"),
                    },
                    in: {
                      $cond: [
                        room,
                        {
                          requests: charged("$$requests"),
                          writes: {
                            $cond: ["$$this.write", charged("$$writes"), "$$value.writes"],
                          },
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
      },
    },
  ];
}

/**
 * Charges the window of a subject for failed sign-ins, up to its limit. Stores in `room` how far below the
 * limit it was.
 */
export function chargeSignIns(failures: number, now: Expression): Record<string, unknown>[] {
  const { failedSignIns: limit, failedSignInWindowSeconds: seconds } = limits;
  return [
    keptWindow(seconds, now),
    {
      $set: {
        startedAt: "$window.startedAt",
        room: { $subtract: [limit, "$window.count"] },
        count: { $min: [limit, { $add: ["$window.count", failures] }] },
      },
    },
    {
      $set: {
        closedAt: {
          $cond: [
            { $lt: ["$count", limit] },
            null,
            { $cond: [{ $gt: ["$room", 0] }, now, { $ifNull: ["$closedAt", now] }] },
          ],
        },
      },
    },
    { $unset: "window" },
  ];
}

/**
 * Charges a window of failed sign-ins to the dashboard if it is below its limit. Stores the previous count.
 */
export function chargeOwnerSignIn(now: Expression): Record<string, unknown>[] {
  const { limit, seconds } = ownerSignInLimit;
  return [
    keptWindow(seconds, now),
    {
      $set: {
        startedAt: "$window.startedAt",
        before: "$window.count",
        count: { $min: [limit, { $add: ["$window.count", 1] }] },
      },
    },
    { $unset: "window" },
  ];
}

/** `forgiven` */
export function forgiveOwnerSignIn(chargedAt: number): Record<string, unknown>[] {
  const charged = { $and: [{ $lte: ["$startedAt", chargedAt] }, { $gt: ["$count", 0] }] };
  return [{ $set: { count: { $cond: [charged, { $subtract: ["$count", 1] }, "$count"] } } }];
}
