import { type AppointmentStatus, appointmentStatuses } from "@queue-api/contract";
import { setAppointmentStatus } from "../owner/appointment.js";
import type { Appointment } from "../rules/records.js";
import { wordFor } from "./arguments.js";
import { printer } from "./output.js";
import type { QueueApiCommand } from "./queue-api-command.js";

/** `queue-api appointment set` */
export function addAppointmentCommands(program: QueueApiCommand): void {
  program
    .command("appointment")
    .description("set the state of appointments")
    .command("set")
    .description("set the state of an appointment")
    .argument("<appointment-id>", "id of the appointment")
    .requiredOption(
      "--status <status>",
      appointmentStatuses.join(", "),
      wordFor("--status", appointmentStatuses),
    )
    .manual({
      examples: ["queue-api appointment set APPOINTMENT_ID --status CHECKED_IN"],
      json: `{ id, date, slotTime, durationMinutes, status, serviceId,
  customer: { name, phone }, notes }`,
    })
    .does(async ({ store }, id: string, { status }: { status: AppointmentStatus }) =>
      appointments.one(await setAppointmentStatus(store, id, status)),
    );
}

const appointments = printer<Appointment>({
  json: ({ id, date, slotTime, durationMinutes, status, serviceId, notes, ...rest }) => {
    const customer = { name: rest.customerName, phone: rest.customerPhone };
    return { id, date, slotTime, durationMinutes, status, serviceId, customer, notes };
  },
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
