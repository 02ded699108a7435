import type {
  Appointment as AppointmentResource,
  Entry as EntryResource,
  EntryStatus,
  EntryWithPosition,
  Me,
  QueueCounts,
  Queue as QueueResource,
  QueueSummary,
  Service as ServiceResource,
} from "@queue-api/contract";
import { limits } from "@queue-api/contract/limits";
import { position, predictedWait } from "./line.js";
import type { ApiKey, Appointment, Business, EntryInLine, Queue, Service } from "./records.js";
import { timestamp, timestampOrNull } from "./timestamp.js";
import { tokenLabel } from "./token.js";

/*
 * Converts records to the resources of the document. Each field is named, so that no other field can leak.
 */

export function entryResource({ entry, line }: EntryInLine): EntryResource {
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
  return { ...entryResource(found), position: found.line && position(found.line.ahead) };
}

export function queueResource(queue: Queue): QueueResource {
  return {
    id: queue.id,
    name: queue.name,
    isActive: queue.isActive,
    isTokenCreationPaused: queue.isTokenCreationPaused,
  };
}

export function countsResource(counts: Readonly<Record<EntryStatus, number>>): QueueCounts {
  return {
    waiting: counts.WAITING,
    inService: counts.IN_SERVICE,
    completed: counts.COMPLETED,
    canceled: counts.CANCELED,
    noShow: counts.NO_SHOW,
  };
}

/** A queue with the counts of one day. */
export function queueSummaryResource(
  day: {
    readonly queue: Queue;
    readonly counts: Readonly<Record<EntryStatus, number>>;
    readonly averageWaitMinutes: number | null;
  },
  date: string,
): QueueSummary {
  return {
    ...queueResource(day.queue),
    date,
    counts: countsResource(day.counts),
    averageWaitMinutes: day.averageWaitMinutes,
  };
}

export function meResource({
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

export function serviceResource(service: Service): ServiceResource {
  return {
    id: service.id,
    name: service.name,
    price: service.price,
    baseTimeMinutes: service.baseTimeMinutes,
  };
}

export function appointmentResource(appointment: Appointment): AppointmentResource {
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
