import type {
  Appointment as AppointmentAnswer,
  Entry as EntryAnswer,
  EntryStatus,
  EntryWithPosition,
  Me,
  Queue as QueueAnswer,
  QueueCounts,
  QueueSummary,
  Service as ServiceAnswer,
} from "@queue-api/contract";
import { limits } from "@queue-api/contract/limits";
import { type EntryInLine, position, predictedWait } from "./line.js";
import type { ApiKey, Appointment, Business, Queue, Service } from "./records.js";
import { timestamp, timestampOrNull } from "./timestamp.js";
import { tokenLabel } from "./token.js";

/*
 * Converts records to the resources of the document. Each field is named, so that no other field can leak.
 */

export function entryAnswer({ entry, line }: EntryInLine): EntryAnswer {
  return {
    id: entry.id,
    token: tokenLabel(entry),
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

export function queueAnswer(queue: Queue): QueueAnswer {
  return {
    id: queue.id,
    name: queue.name,
    isActive: queue.isActive,
    isTokenCreationPaused: queue.isTokenCreationPaused,
  };
}

export function countsAnswer(counts: Readonly<Record<EntryStatus, number>>): QueueCounts {
  return {
    waiting: counts.WAITING,
    inService: counts.IN_SERVICE,
    completed: counts.COMPLETED,
    canceled: counts.CANCELED,
    noShow: counts.NO_SHOW,
  };
}

/** A queue with the counts of one day. */
export function queueSummaryAnswer(
  day: {
    readonly queue: Queue;
    readonly counts: Readonly<Record<EntryStatus, number>>;
    readonly averageWaitMinutes: number | null;
  },
  date: string,
): QueueSummary {
  return {
    ...queueAnswer(day.queue),
    date,
    counts: countsAnswer(day.counts),
    averageWaitMinutes: day.averageWaitMinutes,
  };
}

export function meAnswer({
  business,
  key,
}: {
  readonly business: Business;
  readonly key: ApiKey;
}): Me {
  return {
    business: {
      name: business.name,
      slug: business.slug,
      category: business.category,
      timezone: business.timezone,
    },
    key: {
      id: key.id,
      name: key.name,
      scopes: [...key.scopes],
      expiresAt: timestampOrNull(key.expiresAt),
    },
    limits: {
      requestsPerMinute: key.requestsPerMinute,
      writesPerMinute: key.writesPerMinute,
      maxBodyBytes: limits.maxBodyBytes,
    },
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
