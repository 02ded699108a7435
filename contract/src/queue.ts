import { z } from "zod";
import { day, id } from "./formats.js";

const example = {
  id: "01K2Q7M8Xa1bC3dEf5GhJk7M",
  name: "Front desk",
  isActive: true,
  isTokenCreationPaused: false,
};

export const queue = z
  .object({
    id,
    name: z.string().describe("Name of the queue."),
    isActive: z
      .boolean()
      .describe(
        "Whether the queue is active. An inactive queue refuses new tokens with `queue_unavailable`.",
      ),
    isTokenCreationPaused: z
      .boolean()
      .describe("While true, the queue refuses new tokens with `queue_paused`."),
  })
  .meta({ id: "Queue", description: "A line of people.", examples: [example] });

/** Number of entries of one day with each status. */
export const queueCounts = z
  .object({
    waiting: z.int().describe("Number of entries with status `WAITING`."),
    inService: z.int().describe("Number of entries with status `IN_SERVICE`."),
    completed: z.int().describe("Number of entries with status `COMPLETED`."),
    canceled: z.int().describe("Number of entries with status `CANCELED`."),
    noShow: z.int().describe("Number of entries with status `NO_SHOW`."),
  })
  .meta({ id: "QueueCounts", description: "Number of entries of one day with each status." });

/** A queue with the counts of one day. */
export const queueSummary = queue
  .extend({
    date: day.describe("Day that the counts are for, `YYYY-MM-DD` in the business's time zone."),
    counts: queueCounts,
    averageWaitMinutes: z
      .int()
      .nullable()
      .describe(
        "Average estimated wait of the entries that wait now, in minutes; null if no entry waits or if it is unknown. A person who comes now waits longer: see `predictedWaitMinutes` of their entry.",
      ),
  })
  .meta({
    id: "QueueSummary",
    description: "A queue with the counts of one day.",
    examples: [
      {
        ...example,
        date: "2026-11-21",
        counts: { waiting: 4, inService: 1, completed: 9, canceled: 1, noShow: 0 },
        averageWaitMinutes: 23,
      },
    ],
  });

export type QueueCounts = z.infer<typeof queueCounts>;
export type Queue = z.infer<typeof queue>;
export type QueueSummary = z.infer<typeof queueSummary>;
