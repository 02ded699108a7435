import type { Appointment } from "../../rules/records.js";
import type { Page, PageRequest } from "./page.js";
import type { RecordStore } from "./records.js";

/** A business's appointments. One with a token cannot be removed. */
export interface AppointmentStore extends RecordStore<Appointment> {
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
}
