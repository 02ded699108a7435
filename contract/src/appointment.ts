import { z } from "zod";
import { customer } from "./customer.js";
import { day, id, timeOfDay } from "./formats.js";

/** Statuses of an appointment. CANCELLED has two Ls, unlike an entry's CANCELED. */
export const appointmentStatuses = [
  "CONFIRMED",
  "CHECKED_IN",
  "IN_SERVICE",
  "COMPLETED",
  "NO_SHOW",
  "CANCELLED",
] as const;

export const appointmentStatus = z.enum(appointmentStatuses).meta({
  id: "AppointmentStatus",
  description: "Status of an appointment. `CANCELLED` is spelled with two Ls here.",
});

/** An appointment, read-only. Its notes are never part of a response. */
export const appointment = z
  .object({
    id,
    date: day.describe("Day of the appointment, `YYYY-MM-DD` in the business's time zone."),
    slotTime: timeOfDay.describe(
      "Time at which it starts, `HH:MM` (24 hours) in the business's time zone.",
    ),
    durationMinutes: z.int().describe("Planned duration in minutes."),
    status: appointmentStatus,
    serviceId: id
      .nullable()
      .describe("Service that the customer comes for; null if none was given."),
    customer,
  })
  .meta({
    id: "Appointment",
    description: "An appointment. The API can only read it.",
    examples: [
      {
        id: "01K2Q7M8Wd9sF2gHj4KlQw6E",
        date: "2026-11-21",
        slotTime: "10:30",
        durationMinutes: 15,
        status: "CONFIRMED",
        serviceId: "01K2Q7M8Yf6hJ8kLm2PqRs4T",
        customer: { name: "Customer 2", phone: "919800000002" },
      },
    ],
  });

export type AppointmentStatus = z.infer<typeof appointmentStatus>;
export type Appointment = z.infer<typeof appointment>;
