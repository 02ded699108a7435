import { type BusinessSeed, wideKey } from "../../support/seed.js";

/** A business with something on each of the owner's pages. */
export const busy: BusinessSeed = {
  services: [
    { ref: "consult", name: "Consultation", price: 300, baseTimeMinutes: 15 },
    { name: "Advice", active: false },
  ],
  queues: [
    {
      ref: "front",
      name: "Front desk",
      entries: ["today", "today-1", "today-1", "today-2"].map((date, n) => ({
        name: `Customer ${n}`,
        date,
        status: n % 2 === 0 ? ("COMPLETED" as const) : ("NO_SHOW" as const),
      })),
    },
    { name: "Laboratory", tokenSeries: "L" },
  ],
  appointments: [
    { ref: "visit", slotTime: "10:30", service: "consult", customer: { name: "Customer 2" } },
    { slotTime: "11:00", status: "COMPLETED" },
  ],
  keys: [
    wideKey,
    { ref: "ending", name: "Ending soon", days: 9, allowIps: ["203.0.113.0/24"] },
    { name: "Old", revoked: true },
  ],
};
