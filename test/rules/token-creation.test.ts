import { limits } from "@queue-api/contract";
import { expect, test } from "vitest";
import {
  type CreationFacts,
  refuseCreation,
  tokenRequest,
} from "../../server/src/rules/token-creation.ts";
import { clinic, consult, front, retired, today } from "../store/support/records.js";

const facts: CreationFacts = {
  queue: front,
  service: consult,
  dailyTokenLimit: 5,
  lastSequenceInDay: 0,
  lastNumber: 0,
};
const closed = { ...front, isActive: false };
const paused = { ...front, isTokenCreationPaused: true };
const both = { ...closed, ...paused, isActive: false };
const most = limits.queueTokensPerDay;

test.each<[string, boolean, Partial<CreationFacts>, string | null]>([
  ["is given", true, {}, null],
  ["is given without a service", false, { service: null }, null],
  ["needs a queue before all else", true, { queue: null, service: null }, "queue_not_found"],
  ["needs a known service", true, { service: null }, "service_unknown"],
  ["needs an active service", true, { service: retired, queue: closed }, "service_unknown"],
  ["needs an active queue", true, { queue: closed }, "queue_unavailable"],
  ["needs an active queue, paused or not", true, { queue: both }, "queue_unavailable"],
  ["needs a queue that is not paused", true, { queue: paused, lastNumber: most }, "queue_paused"],
  ["is the last one of the day", true, { lastSequenceInDay: 4 }, null],
  ["is one too many of the day", true, { lastSequenceInDay: 5 }, "plan_limit_reached"],
  ["has no limit of the day", true, { dailyTokenLimit: null, lastSequenceInDay: 99_999 }, null],
  ["is the last one of the queue", true, { lastNumber: most - 1 }, null],
  ["is one too many of the queue", true, { lastNumber: most }, "plan_limit_reached"],
])("a token %s", (_, serviceAsked, changes, outcome) => {
  expect(refuseCreation(serviceAsked, { ...facts, ...changes })).toBe(outcome);
});

test("a request is of today at the business, and issued now unless another time is given", () => {
  const customer = {
    queueId: front.id,
    serviceId: consult.id,
    customerName: "Zoë",
    customerPhone: "919800000001",
    phoneIsInternational: true,
    priority: true,
  };
  const now = Date.UTC(2026, 10, 20, 20); // 01:30 on the next day at the clinic
  const context = { now, random: (bytes: number) => new Uint8Array(bytes) };
  const request = tokenRequest(clinic, customer, context);
  expect(request).toEqual({ ...customer, id: request.id, date: today, issuedAt: now });
  expect(tokenRequest(clinic, customer, { ...context, issuedAt: 5 }).issuedAt).toBe(5);
});
