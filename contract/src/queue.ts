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
    name: z.string().meta({ description: "Name of the queue." }),
    isActive: z.boolean().meta({
      description:
        "Whether the queue is open. A creation on a closed one is refused: `queue_unavailable`.",
    }),
    isTokenCreationPaused: z
      .boolean()
      .meta({ description: "While true, a creation is refused: `queue_paused`." }),
  })
  .meta({ id: "Queue", description: "A line of people.", examples: [example] });

/** The entries of one day, counted by status. */
export const queueCounts = z
  .object({
    waiting: z.int().meta({ description: "Entries that are `WAITING`." }),
    inService: z.int().meta({ description: "Entries that are `IN_SERVICE`." }),
    completed: z.int().meta({ description: "Entries that are `COMPLETED`." }),
    canceled: z.int().meta({ description: "Entries that are `CANCELED`." }),
    noShow: z.int().meta({ description: "Entries that are `NO_SHOW`." }),
  })
  .meta({ id: "QueueCounts", description: "Entries of the day by state." });

/** A queue with the counts of one day. */
export const queueSummary = queue
  .extend({
    date: day.meta({ description: "The day counted, `YYYY-MM-DD` in the business's time zone." }),
    counts: queueCounts,
    averageWaitMinutes: z.int().nullable().meta({
      description:
        "Average estimated wait of the people waiting now; null when nobody waits or it is unknown.",
    }),
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
