import type { Entry, EntryWithPosition } from "@queue-api/contract";

/** A row of the peer's table, in the order of {@link columns}. */
export type EntryRow = [
  id: string,
  tokenSeries: string,
  tokenNumber: number,
  status: Entry["status"],
  priority: number,
  serviceId: string | null,
  customerName: string | null,
  customerPhone: string | null,
  issuedAt: number,
  startedAt: number | null,
  completedAt: number | null,
  canceledAt: number | null,
  predictedWaitMinutes: number | null,
  position: number | null,
];

export const columns = `id, token_series, token_number, status, priority, service_id, customer_name,
  customer_phone, issued_at, started_at, completed_at, canceled_at, predicted_wait_minutes, position`;

export function rowOf(entry: EntryWithPosition): EntryRow {
  return [
    entry.id,
    entry.tokenSeries,
    entry.tokenNumber,
    entry.status,
    Number(entry.priority),
    entry.serviceId,
    entry.customer.name,
    entry.customer.phone,
    Date.parse(entry.issuedAt),
    millisecondsOf(entry.startedAt),
    millisecondsOf(entry.completedAt),
    millisecondsOf(entry.canceledAt),
    entry.predictedWaitMinutes,
    entry.position,
  ];
}

/** The JSON of an entry in a list. */
export function entryOf(row: EntryRow): Entry {
  const [id, tokenSeries, tokenNumber, status, priority, serviceId, name, phone, ...rest] = row;
  const [issuedAt, startedAt, completedAt, canceledAt, predictedWaitMinutes] = rest;
  return {
    id,
    token: `${tokenSeries}${tokenNumber}`,
    tokenSeries,
    tokenNumber,
    status,
    priority: priority === 1,
    serviceId,
    customer: { name, phone },
    issuedAt: new Date(issuedAt).toISOString(),
    startedAt: timestampOf(startedAt),
    completedAt: timestampOf(completedAt),
    canceledAt: timestampOf(canceledAt),
    predictedWaitMinutes,
  };
}

/** The JSON of an entry alone. */
export function entryWithPositionOf(row: EntryRow): EntryWithPosition {
  return { ...entryOf(row), position: row[13] };
}

function millisecondsOf(timestamp: string | null): number | null {
  return timestamp === null ? null : Date.parse(timestamp);
}

function timestampOf(milliseconds: number | null): string | null {
  return milliseconds === null ? null : new Date(milliseconds).toISOString();
}
