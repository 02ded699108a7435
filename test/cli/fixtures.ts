import type { SeedInput } from "@queue-api/server";
import { expect } from "vitest";

/** The example of the seed file, with a second, priority person and a few more states. */
export const sunrise: SeedInput = {
  businesses: [
    {
      slug: "sunrise",
      name: "Sunrise Clinic",
      category: "clinic",
      timezone: "Asia/Kolkata",
      services: [{ ref: "consult", name: "Consultation", price: 300, baseTimeMinutes: 15 }],
      queues: [
        {
          ref: "front",
          name: "Front desk",
          entries: [
            { ref: "waiting", name: "Customer 1", phone: "919800000001", service: "consult" },
            { ref: "priority", name: "Customer 2", phone: "919800000002", priority: true },
            { ref: "serving", name: "Customer 3", status: "IN_SERVICE", minutesAgo: 12 },
            { ref: "completed", name: "Customer 4", status: "COMPLETED", minutesAgo: 30 },
            { ref: "canceled", name: "Customer 5", status: "CANCELED", minutesAgo: 30 },
            { ref: "missed", name: "Customer 6", status: "NO_SHOW", minutesAgo: 30 },
          ],
        },
        { ref: "empty", name: "Laboratory" },
      ],
      appointments: [
        {
          ref: "a1",
          service: "consult",
          customer: { name: "Customer 7", phone: "919800000007" },
          notes: "kept, never returned by the API",
        },
      ],
      keys: [
        { ref: "kiosk", name: "Kiosk", scopes: ["queue:read", "queue:write"] },
        { ref: "old", name: "Old kiosk", expiresAt: "2026-01-01T00:00:00Z" },
      ],
    },
  ],
};

export const aKey = expect.stringMatching(/^svc_live_[a-zA-Z0-9]{20,32}_[a-zA-Z0-9]{43}$/);
