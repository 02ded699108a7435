import type {
  Appointment as AppointmentAnswer,
  Entry as EntryAnswer,
  EntryWithPosition,
  Queue as QueueAnswer,
  Service as ServiceAnswer,
} from "@queue-api/contract";
import { position, predictedWait } from "../rules/line.js";
import type { Appointment, Queue, Service } from "../rules/records.js";
import { tokenLabel } from "../rules/token.js";
import type { EntryInLine } from "../store/port/entries.js";

/** What is kept, as the document shows it. Each field is named, so that nothing else can slip out. */

export function queueAnswer(queue: Queue): QueueAnswer {
  return {
    id: queue.id,
    name: queue.name,
    isActive: queue.isActive,
    isTokenCreationPaused: queue.isTokenCreationPaused,
  };
}

export function serviceAnswer(service: Service): ServiceAnswer {
  return {
    id: service.id,
    name: service.name,
    price: service.price,
    baseTimeMinutes: service.baseTimeMinutes,
  };
}

export function entryAnswer({ entry, line }: EntryInLine): EntryAnswer {
  return {
    id: entry.id,
    token: tokenLabel(entry.tokenSeries, entry.tokenNumber),
    tokenSeries: entry.tokenSeries,
    tokenNumber: entry.tokenNumber,
    status: entry.status,
    priority: entry.priority,
    serviceId: entry.serviceId,
    customer: { name: entry.customerName, phone: entry.customerPhone },
    issuedAt: timestamp(entry.issuedAt),
    startedAt: timestampOrNull(entry.startedAt),
    completedAt: timestampOrNull(entry.completedAt),
    canceledAt: timestampOrNull(entry.canceledAt),
    predictedWaitMinutes: line && predictedWait(line.ahead, line.pace),
  };
}

export function entryWithPosition(found: EntryInLine): EntryWithPosition {
  return { ...entryAnswer(found), position: found.line && position(found.line.ahead) };
}

export function appointmentAnswer(appointment: Appointment): AppointmentAnswer {
  return {
    id: appointment.id,
    date: appointment.date,
    slotTime: appointment.slotTime,
    durationMinutes: appointment.durationMinutes,
    status: appointment.status,
    serviceId: appointment.serviceId,
    customer: { name: appointment.customerName, phone: appointment.customerPhone },
  };
}

export function timestampOrNull(at: number | null): string | null {
  return at === null ? null : timestamp(at);
}

function timestamp(at: number): string {
  return new Date(at).toISOString();
}
