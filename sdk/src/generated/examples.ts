// Made from the contract by `npm run generate --workspace sdk`; not to be edited.

import type {
  Appointment,
  Entry,
  EntryWithPosition,
  Me,
  Queue,
  QueueSummary,
  Service,
} from "./types.js";

export const entry: Entry = {
  id: "01K2Q7M8Zb4nT6wXc9RvYd3F",
  token: "A12",
  tokenSeries: "A",
  tokenNumber: 12,
  status: "WAITING",
  priority: false,
  serviceId: "01K2Q7M8Yf6hJ8kLm2PqRs4T",
  customer: { name: "Customer 1", phone: "919800000001" },
  issuedAt: "2026-11-21T04:30:00.000Z",
  startedAt: null,
  completedAt: null,
  canceledAt: null,
  predictedWaitMinutes: 30,
};

export const entryWithPosition: EntryWithPosition = {
  id: "01K2Q7M8Zb4nT6wXc9RvYd3F",
  token: "A12",
  tokenSeries: "A",
  tokenNumber: 12,
  status: "WAITING",
  priority: false,
  serviceId: "01K2Q7M8Yf6hJ8kLm2PqRs4T",
  customer: { name: "Customer 1", phone: "919800000001" },
  issuedAt: "2026-11-21T04:30:00.000Z",
  startedAt: null,
  completedAt: null,
  canceledAt: null,
  predictedWaitMinutes: 30,
  position: 3,
};

export const queue: Queue = {
  id: "01K2Q7M8Xa1bC3dEf5GhJk7M",
  name: "Front desk",
  isActive: true,
  isTokenCreationPaused: false,
};

export const queueSummary: QueueSummary = {
  id: "01K2Q7M8Xa1bC3dEf5GhJk7M",
  name: "Front desk",
  isActive: true,
  isTokenCreationPaused: false,
  date: "2026-11-21",
  counts: { waiting: 4, inService: 1, completed: 9, canceled: 1, noShow: 0 },
  averageWaitMinutes: 23,
};

export const service: Service = {
  id: "01K2Q7M8Yf6hJ8kLm2PqRs4T",
  name: "Consultation",
  price: 300,
  baseTimeMinutes: 15,
};

export const appointment: Appointment = {
  id: "01K2Q7M8Wd9sF2gHj4KlQw6E",
  date: "2026-11-21",
  slotTime: "10:30",
  durationMinutes: 15,
  status: "CONFIRMED",
  serviceId: "01K2Q7M8Yf6hJ8kLm2PqRs4T",
  customer: { name: "Customer 2", phone: "919800000002" },
};

export const me: Me = {
  business: {
    name: "Sunrise Clinic",
    slug: "sunrise",
    category: "clinic",
    timezone: "Asia/Kolkata",
  },
  key: {
    id: "01K2Q7M8Vc5vB7nM9aSdFg1H",
    name: "Kiosk",
    scopes: ["queue:read", "queue:write"],
    expiresAt: "2027-02-19T04:30:00.000Z",
  },
  limits: { requestsPerMinute: 120, writesPerMinute: 30, maxBodyBytes: 32768 },
};
