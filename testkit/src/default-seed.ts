import type { SeedInput } from "./seed.js";

/**
 * The content of a mock without a seed: one clinic with a queue of waiting people, a paused queue, a closed
 * queue, a service with a price, a service without one, two appointments, and three keys.
 */
export const defaultSeed = {
  businesses: [
    {
      slug: "sunrise",
      name: "Sunrise Clinic",
      category: "clinic",
      timezone: "Asia/Kolkata",
      services: [
        { ref: "consult", name: "Consultation", price: 300, baseTimeMinutes: 15 },
        { ref: "advice", name: "Advice" },
      ],
      queues: [
        {
          ref: "front",
          name: "Front desk",
          tokenSeries: "A",
          entries: [
            {
              ref: "served",
              name: "Customer 1",
              phone: "919800000001",
              service: "consult",
              status: "COMPLETED",
              minutesAgo: 50,
            },
            {
              ref: "inside",
              name: "Customer 2",
              phone: "919800000002",
              service: "consult",
              status: "IN_SERVICE",
              minutesAgo: 20,
            },
            {
              ref: "first",
              name: "Customer 3",
              phone: "919800000003",
              service: "consult",
              minutesAgo: 12,
            },
            {
              ref: "second",
              name: "Customer 4",
              phone: "919800000004",
              service: "consult",
              minutesAgo: 5,
            },
          ],
        },
        { ref: "paused", name: "Laboratory", tokenSeries: "L", isTokenCreationPaused: true },
        { ref: "closed", name: "Vaccination", tokenSeries: "V", isActive: false },
      ],
      appointments: [
        {
          ref: "morning",
          slotTime: "10:30",
          durationMinutes: 15,
          status: "CONFIRMED",
          service: "consult",
          customer: { name: "Customer 5", phone: "919800000005" },
        },
        {
          ref: "afternoon",
          slotTime: "15:00",
          durationMinutes: 30,
          status: "CHECKED_IN",
          customer: { name: "Customer 6", phone: "919800000006" },
        },
      ],
      keys: [
        { ref: "kiosk", name: "Kiosk", scopes: ["queue:read", "queue:write"] },
        { ref: "screen", name: "Waiting room screen", scopes: ["queue:read"] },
        {
          ref: "office",
          name: "Office",
          scopes: ["queue:read", "queue:write", "appointments:read"],
        },
      ],
    },
  ],
} as const satisfies SeedInput;

type Content = typeof defaultSeed;

/** The type of {@link defaultSeed}. */
export interface DefaultSeed extends Content {}
