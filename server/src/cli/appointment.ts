import { type AppointmentStatus, appointmentStatuses } from "@queue-api/contract";
import { setAppointmentStatus } from "../owner/appointment.js";
import type { Appointment } from "../rules/records.js";
import { wordFor } from "./arguments.js";
import { type Output, table } from "./output.js";
import { runOwner } from "./owner-command.js";
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
    .action((id: string, { status }: { status: AppointmentStatus }, command) =>
      runOwner(command, async ({ store }) => one(await setAppointmentStatus(store, id, status))),
    );
}

function one(appointment: Appointment): Output {
  const { id, date, slotTime, durationMinutes, status, serviceId, notes } = appointment;
  const customer = { name: appointment.customerName, phone: appointment.customerPhone };
  return {
    json: { id, date, slotTime, durationMinutes, status, serviceId, customer, notes },
    text: table(
      ["DATE", "TIME", "MINUTES", "STATUS", "NAME", "PHONE", "APPOINTMENT"],
      [[date, slotTime, durationMinutes, status, customer.name, customer.phone, id]],
    ),
  };
}
