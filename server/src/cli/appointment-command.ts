import { type AppointmentStatus, appointmentStatuses } from "@queue-api/contract";
import { setAppointmentStatus } from "../owner/appointment.js";
import type { Appointment } from "../rules/records.js";
import { appointmentResource } from "../rules/resources.js";
import { wordFor } from "./arguments.js";
import type { QueueApiCommand } from "./command.js";
import { printer } from "./output.js";

/** `queue-api appointment set` */
export function addAppointmentCommands(program: QueueApiCommand): void {
  program
    .command("appointment")
    .description("manage appointments")
    .command("set")
    .description("set the status of an appointment")
    .argument("<appointment-id>", "id of the appointment")
    .requiredOption(
      "--status <status>",
      `new status: ${appointmentStatuses.join(", ")}`,
      wordFor("--status", appointmentStatuses),
    )
    .examples("queue-api appointment set APPOINTMENT_ID --status CHECKED_IN")
    .shows(appointments, ({ store }, id: string, { status }: { status: AppointmentStatus }) =>
      setAppointmentStatus(store, id, status),
    );
}

const appointments = printer<Appointment>({
  shape: `{ id, date, slotTime, durationMinutes, status, serviceId,
  customer: { name, phone }, notes }`,
  json: (appointment) => ({ ...appointmentResource(appointment), notes: appointment.notes }),
  columns: {
    DATE: ({ date }) => date,
    TIME: ({ slotTime }) => slotTime,
    MINUTES: ({ durationMinutes }) => durationMinutes,
    STATUS: ({ status }) => status,
    NAME: ({ customerName }) => customerName,
    PHONE: ({ customerPhone }) => customerPhone,
    APPOINTMENT: ({ id }) => id,
  },
});
