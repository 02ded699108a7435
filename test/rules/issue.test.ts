import { describe, expect, test } from "vitest";
import { type IssueFacts, refuseIssue } from "../../server/src/rules/issue.ts";

const queue = {
  id: "q".repeat(24),
  businessId: "b".repeat(24),
  name: "Front desk",
  tokenSeries: "A",
  isActive: true,
  isTokenCreationPaused: false,
};
const service = {
  id: "s".repeat(24),
  businessId: queue.businessId,
  name: "Consultation",
  price: null,
  baseTimeMinutes: 15,
  active: true,
};
const facts: IssueFacts = {
  ...{ queue, service, dailyTokenLimit: null },
  ...{ lastPlaceInDay: 0, lastNumber: 0 },
};

describe("whether a token may be issued", () => {
  test.each<[string, boolean, Partial<IssueFacts>, string | null]>([
    ["all is well", true, {}, null],
    ["no service asked for", false, { service: null }, null],
    ["no queue", true, { queue: null }, "queue_not_found"],
    ["no such service", true, { service: null }, "service_unknown"],
    ["an inactive service", true, { service: { ...service, active: false } }, "service_unknown"],
    ["an inactive queue", true, { queue: { ...queue, isActive: false } }, "queue_unavailable"],
    ["a paused queue", true, { queue: { ...queue, isTokenCreationPaused: true } }, "queue_paused"],
    [
      "an inactive and paused queue",
      true,
      { queue: { ...queue, isActive: false, isTokenCreationPaused: true } },
      "queue_unavailable",
    ],
    ["the last token of the day", true, { lastPlaceInDay: 4, dailyTokenLimit: 5 }, null],
    ["one more", true, { lastPlaceInDay: 5, dailyTokenLimit: 5 }, "plan_limit_reached"],
    ["a limit of none", true, { dailyTokenLimit: 0 }, "plan_limit_reached"],
    ["no limit", true, { lastPlaceInDay: 1_000_000 }, null],
    ["the last number of a queue", true, { lastNumber: 9_999 }, null],
    ["one more number", true, { lastNumber: 10_000 }, "plan_limit_reached"],
  ])("%s", (_, serviceAsked, change, expected) => {
    expect(refuseIssue(serviceAsked, { ...facts, ...change })).toBe(expected);
  });
});
