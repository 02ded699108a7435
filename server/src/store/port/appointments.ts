import type { Page } from "../../rules/list-answer.js";
import type { Appointment } from "../../rules/records.js";
import type { AddOutcome, RemoveOutcome } from "./business.js";
import type { PageRequest } from "./page.js";

/** The fields of an appointment that can change. */
type AppointmentChange = Partial<Omit<Appointment, "id" | "businessId">>;

/** A business's appointments. */
export interface AppointmentStore {
  get(businessId: string, appointmentId: string): Promise<Appointment | null>;
  /**
   * A day's appointments by slot time, then id. The cursor must be an appointment of a day that `listDay`
   * allows.
   */
  page(
    businessId: string,
    date: string,
    page: PageRequest,
  ): Promise<Page<Appointment> | "cursor_unknown">;
  /** `exists` if the business has an appointment with that id. */
  add(businessId: string, appointment: Appointment): Promise<AddOutcome>;
  /** Removes an appointment without a token. */
  remove(businessId: string, appointmentId: string): Promise<RemoveOutcome>;
  /** Null if the business has no such appointment. */
  change(
    businessId: string,
    appointmentId: string,
    change: AppointmentChange,
  ): Promise<Appointment | null>;
}
