import type {
  Appointment as AppointmentAnswer,
  Queue as QueueAnswer,
  QueueCounts,
  Service as ServiceAnswer,
} from "@queue-api/contract";
import type { Appointment, Queue, Service } from "../rules/records.js";
import type { StatusCounts } from "../rules/day-counts.js";

/** Converts records to the shapes of the document. Each field is named, so that no other field can leak. */

export function queueAnswer(queue: Queue): QueueAnswer {
  return {
    id: queue.id,
    name: queue.name,
    isActive: queue.isActive,
    isTokenCreationPaused: queue.isTokenCreationPaused,
  };
}

export function countsAnswer(counts: StatusCounts): QueueCounts {
  return {
    waiting: counts.WAITING,
    inService: counts.IN_SERVICE,
    completed: counts.COMPLETED,
    canceled: counts.CANCELED,
    noShow: counts.NO_SHOW,
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
