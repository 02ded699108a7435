import type { SimulationEvent, SimulationSummary } from "../simulation/report.js";
import { printable } from "./output.js";

/** An event as one line of text. */
export function eventLine(event: SimulationEvent): string {
  return printable(`day ${event.day} ${event.time}  ${sentence(event)}`);
}

function sentence(event: SimulationEvent): string {
  switch (event.event) {
    case "arrived":
      return `${who(event)} arrives at ${event.queue}; ${event.waiting} waiting`;
    case "called":
      return `${who(event)} is called to ${event.queue} after ${minutes(event.waitedMinutes)}; ${event.waiting} waiting`;
    case "completed":
      return `${who(event)} is done at ${event.queue}`;
    case "gave-up":
      return `${who(event)} gives up at ${event.queue} after ${minutes(event.waitedMinutes)}; ${event.waiting} waiting`;
    case "no-show":
      return `${who(event)} is called to ${event.queue} and does not come; ${event.waiting} waiting`;
    case "turned-away":
      return `-     ${event.name} is turned away from ${event.queue} (${event.reason})`;
    case "appointment":
      return `-     the appointment at ${event.slotTime} ${appointmentSteps[event.status]}`;
  }
}

const appointmentSteps = {
  CONFIRMED: "is confirmed",
  CHECKED_IN: "checks in",
  IN_SERVICE: "goes in",
  COMPLETED: "is done",
  NO_SHOW: "is missed",
  CANCELLED: "is cancelled",
} as const;

function who({ token, name }: { readonly token: string; readonly name: string | null }): string {
  return `${token.padEnd(5)} ${name ?? "A customer"}`;
}

function minutes(count: number): string {
  return count === 1 ? "1 minute" : `${count} minutes`;
}

/** The summary of a simulation as text. Minutes are the story's. */
export function summaryLines(summary: SimulationSummary): string {
  const { appointments, waitedMinutes, heldUpSeconds } = summary;
  const lines = [
    `Simulated ${minutes(summary.storyMinutes)} with seed ${summary.seed}.`,
    `${summary.arrived} arrived, ${summary.called} were called, ${summary.completed} were served, ${summary.gaveUp} gave up, ${summary.noShows} did not come, ${summary.turnedAway} were turned away.`,
    `Appointments: ${appointments.kept} kept, ${appointments.missed} missed, ${appointments.cancelled} cancelled.`,
  ];
  if (waitedMinutes) {
    lines.push(
      `Customers waited ${minutes(waitedMinutes.mean)} on average, ${minutes(waitedMinutes.longest)} at most.`,
    );
  }
  if (heldUpSeconds > 0) {
    lines.push(
      `Limits of the key, or outages of the service, delayed the simulation by ${heldUpSeconds} s.`,
    );
  }
  return lines.join("\n");
}
