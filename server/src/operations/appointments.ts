import { type AppointmentWithEntry, isExpected, withEntry } from "../rules/appointment-status.js";
import { readAppointmentCursor, writeAppointmentCursor } from "../rules/cursor.js";
import type { Page, PageRequest } from "../rules/list.js";
import type { Appointment } from "../rules/records.js";
import { assertSeen } from "../rules/stale.js";
import type { Tx, ViewTx } from "../store/port.js";
import type { AppointmentRecord, Stored } from "../store/tables.js";
import { entryOf } from "./entry-record.js";
import { change, view } from "./operation.js";
import {
  type CreationOutcome,
  type CreationRequest,
  createToken,
  creationMutex,
} from "./token-creation.js";
import { keepsUsed, mayRelyOn, mayUseService } from "./uses.js";

/** The fields of an appointment that can change; an absent field stays unchanged. */
export type AppointmentChange = Partial<Omit<Appointment, "id" | "businessId" | "revision">>;

/** The token that a check-in asks for. The appointment says whose it is. */
export type CheckInRequest = Pick<CreationRequest, "id" | "queueId" | "date" | "issuedAt">;

export type CheckInOutcome =
  | Exclude<CreationOutcome, { readonly outcome: "replay" | "reused" }>
  | { readonly outcome: "not_found" }
  /** The appointment is not today. Tokens are issued for today only. */
  | { readonly outcome: "other_day" }
  /** The appointment has a token, or a status other than `CONFIRMED` and `CHECKED_IN`. */
  | { readonly outcome: "not_expected"; readonly status: Appointment["status"] };

/** A business's appointments, each with the entry that was issued for it. */
export const appointments = {
  get: view(
    async (tx, businessId: string, appointmentId: string): Promise<AppointmentWithEntry | null> => {
      const record = await findAppointment(tx, businessId, appointmentId);
      return record && ((await withEntries(tx, businessId, [record]))[0] ?? null);
    },
  ),

  /** A day's appointments by slot time, then id. */
  page: view(
    async (
      tx,
      businessId: string,
      date: string,
      { limit, after }: PageRequest,
    ): Promise<Page<AppointmentWithEntry> | "cursor_unknown"> => {
      const list = { kind: "appointments", businessId, queueId: null, date } as const;
      const position = after === null ? null : readAppointmentCursor(list, after);
      if (after !== null && position === null) return "cursor_unknown";
      const found = await tx.list("appointments", {
        where: { businessId, isRemoved: false, date },
        order: ["slotTime", "id"],
        after: position && [position.slotTime, position.id],
        limit: limit + 1,
      });
      const shown = found.slice(0, limit);
      const last = found.length > limit ? shown.at(-1) : undefined;
      return {
        items: await withEntries(tx, businessId, shown),
        nextCursor: last ? writeAppointmentCursor(list, last) : null,
      };
    },
  ),

  /** `exists` if the business has an appointment with its id: the same form was sent twice. */
  add: change(async (tx, businessId: string, appointment: Appointment) => {
    if (await tx.find("appointments", { id: appointment.id })) {
      return { outcome: "exists" } as const;
    }
    const { serviceId } = appointment;
    if (serviceId !== null && !(await mayUse(tx, businessId, serviceId))) return serviceUnknown;
    tx.insert("appointments", appointmentRecord(appointment));
    return { outcome: "added" } as const;
  }),

  /**
   * Changes an appointment. It may keep its service even if that is no longer active. `seen`: the revision that the
   * change was decided on. Default: null, any. Throws `StaleError`. `has_token`: its status follows its token, which is of
   * today, or a check-in may be giving it one.
   */
  change: change(
    async (
      tx,
      businessId: string,
      appointmentId: string,
      asked: AppointmentChange,
      seen: number | null = null,
    ) => {
      const record = await findAppointment(tx, businessId, appointmentId);
      if (!record) return { outcome: "not_found" } as const;
      assertSeen(record, asked, seen);
      const { serviceId = null, status, date = record.date, slotTime = record.slotTime } = asked;
      const isMoved = date !== record.date || slotTime !== record.slotTime;
      if ((status !== undefined || isMoved) && (await hasToken(tx, record)))
        return { outcome: "has_token" } as const;
      const isOther = serviceId !== null && serviceId !== record.serviceId;
      if (isOther && !(await mayUse(tx, businessId, serviceId))) return serviceUnknown;
      const changed = { ...asked, revision: record.revision + 1 };
      tx.update("appointments", record, changed);
      const appointment = appointmentOf({ ...record, ...changed });
      return { outcome: "changed", appointment } as const;
    },
  ),

  /** `in_use`: it has a token, or a check-in may be giving it one, so it stays. */
  remove: change(async (tx, businessId: string, appointmentId: string) => {
    const record = await findAppointment(tx, businessId, appointmentId);
    if (!record) return "not_found";
    if (await hasToken(tx, record)) return "in_use";
    tx.update("appointments", record, { isRemoved: true });
    return "removed";
  }),

  /**
   * Issues the token of today of a customer with an appointment. The entry names the appointment, which a unique index
   * allows once, so an appointment gets at most one token: the first check-in decides the queue.
   */
  checkIn: change(checkIn, {
    mutex: (businessId, _, request) => creationMutex(businessId, request),
  }),
};

async function checkIn(
  tx: Tx,
  businessId: string,
  appointmentId: string,
  request: CheckInRequest,
): Promise<CheckInOutcome> {
  const record = await findAppointment(tx, businessId, appointmentId);
  if (!record) return { outcome: "not_found" };
  const [found] = await withEntries(tx, businessId, [record]);
  if (!found || !isExpected(found)) {
    const { status } = found?.appointment ?? record;
    return { outcome: "not_expected", status };
  }
  if (record.date !== request.date) return { outcome: "other_day" };
  const { customerName, customerPhone, phoneIsInternational, serviceId } = record;
  const customer = { customerName, customerPhone, phoneIsInternational, serviceId };
  const asked = { ...request, ...customer, priority: false, keyed: null, appointmentId };
  let outcome = (await createToken(tx, businessId, asked)) as CheckInOutcome;
  // A service that is no longer offered is left out.
  if (outcome.outcome === "service_unknown") {
    outcome = (await createToken(tx, businessId, { ...asked, serviceId: null })) as CheckInOutcome;
  }
  if (outcome.outcome === "created" && !mayRelyOn(record.checkInAt, tx.now)) {
    // so that it is not removed before the entry names it; see `uses.ts`
    tx.updateFirst("appointments", record, { checkInAt: tx.now });
  }
  return outcome;
}

async function findAppointment(
  tx: ViewTx,
  businessId: string,
  id: string,
): Promise<Stored<"appointments"> | null> {
  const record = await tx.find("appointments", { id });
  return record?.businessId === businessId && !record.isRemoved ? record : null;
}

/** Whether an entry names an appointment, or may soon: a check-in notes itself in the record before it decides. */
async function hasToken(tx: Tx, record: Stored<"appointments">): Promise<boolean> {
  const { id: appointmentId, businessId } = record;
  const entry = await tx.find("entries", { businessId, appointmentId });
  return entry !== null || keepsUsed(record.checkInAt, tx.now);
}

/** The appointment of a record. */
function appointmentOf(record: Stored<"appointments">): Appointment {
  const { isRemoved, checkInAt, version, ...appointment } = record;
  return appointment;
}

/** The record of an appointment that is new to the database. */
export function appointmentRecord(appointment: Appointment): AppointmentRecord {
  return { ...appointment, isRemoved: false, checkInAt: null };
}

async function withEntries(
  tx: ViewTx,
  businessId: string,
  records: readonly Stored<"appointments">[],
): Promise<AppointmentWithEntry[]> {
  const ids = records.map(({ id }) => id);
  const where = { businessId, appointmentId: ids };
  const found = await tx.list("entries", { where, limit: ids.length, without: "keyed" });
  const entries = new Map(found.map((record) => [record.appointmentId, entryOf(record)]));
  return records.map((record) => withEntry(appointmentOf(record), entries.get(record.id) ?? null));
}

const serviceUnknown = { outcome: "service_unknown" } as const;

async function mayUse(tx: Tx, businessId: string, serviceId: string): Promise<boolean> {
  const business = await tx.find("businesses", { id: businessId });
  return business !== null && mayUseService(tx, business, serviceId);
}
