import type { ApiPromise } from "../api-promise.js";
import type { Appointment, Operations } from "../generated/types.js";
import type { CallOptions } from "../options.js";
import type { Pages } from "../page.js";
import type { Sender } from "../sender.js";

/** Which appointments to list, and how many per page. */
export type AppointmentsQuery = Operations["listAppointments"]["query"];

/** The business's appointments, read only. Needs the scope `appointments:read`. */
export class Appointments {
  readonly #api: Sender;

  /** @internal */
  constructor(api: Sender) {
    this.#api = api;
  }

  /**
   * The appointments of one day by slot time. `date` defaults to today in the business's time zone. Without a
   * `date`, each page covers the day on which it is requested.
   *
   * @example
   * for await (const appointment of api.appointments.list({ date: "2026-11-21" })) {
   *   console.log(appointment.slotTime, appointment.status);
   * }
   */
  list(query?: AppointmentsQuery, options?: CallOptions): Pages<Appointment> {
    return this.#api.pages("listAppointments", { query }, options);
  }

  /**
   * One appointment.
   *
   * @throws {NotFoundError} The business has no such appointment.
   * @example
   * const { slotTime, customer } = await api.appointments.get(appointmentId);
   */
  get(appointmentId: string, options?: CallOptions): ApiPromise<Appointment> {
    return this.#api.send("getAppointment", { params: { appointmentId } }, options);
  }
}
