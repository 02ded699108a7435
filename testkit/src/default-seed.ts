import type { SeedInput } from "./seed.js";

const person = (number: number) => ({
  name: `Customer ${number}`,
  phone: `91980000000${number}`,
});

const clinic = {
  slug: "sunrise",
  name: "Sunrise Clinic",
  category: "clinic",
  timezone: "Asia/Kolkata",
  sandbox: true,
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
        { ...person(1), ref: "served", service: "consult", status: "COMPLETED", minutesAgo: 50 },
        { ...person(2), ref: "inside", service: "consult", status: "IN_SERVICE", minutesAgo: 20 },
        { ...person(3), ref: "first", service: "consult", minutesAgo: 12 },
        { ...person(4), ref: "second", service: "consult", minutesAgo: 5 },
      ],
    },
    { ref: "paused", name: "Laboratory", tokenSeries: "L", isTokenCreationPaused: true },
    { ref: "closed", name: "Vaccination", tokenSeries: "V", isActive: false },
  ],
  appointments: [
    { ref: "morning", slotTime: "10:30", service: "consult", customer: person(5) },
    { ref: "afternoon", slotTime: "15:00", status: "CHECKED_IN", customer: person(6) },
  ],
  keys: [
    { ref: "kiosk", name: "Kiosk", scopes: ["queue:read", "queue:write"] },
    { ref: "screen", name: "Waiting room screen", scopes: ["queue:read"] },
    { ref: "office", name: "Office", scopes: ["queue:read", "queue:write", "appointments:read"] },
  ],
} as const;

/**
 * The content of a mock without a seed: one clinic with a queue of waiting people, a paused queue, a closed
 * queue, a service with a price, a service without one, two appointments, and three keys.
 */
export const defaultSeed = { businesses: [clinic] } as const satisfies SeedInput;

type Content = typeof defaultSeed;

/** The type of {@link defaultSeed}. */
export interface DefaultSeed extends Content {}
