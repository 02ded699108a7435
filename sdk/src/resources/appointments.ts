import type { ApiPromise } from "../api-promise.js";
import type { ApiSender } from "../api-sender.js";
import type { Appointment, AppointmentsQuery } from "../generated/types.js";
import type { CallOptions } from "../options.js";
import type { Pages } from "../pagination.js";

/** The business's appointments, read only. Needs the scope `appointments:read`. */
export class Appointments {
  /** @internal */
  constructor(/** @internal */ readonly api: ApiSender) {}

  /**
   * The appointments of one day by slot time. `date` defaults to today in the business's time zone. A list that
   * is read across midnight goes on with the day of its first page.
   *
   * @example
   * for await (const appointment of api.appointments.list({ date: "2026-11-21" })) {
   *   console.log(appointment.slotTime, appointment.status);
   * }
   */
  list(query?: AppointmentsQuery, options?: CallOptions): Pages<Appointment> {
    return this.api.pages("appointments.list", { query }, options);
  }

  /**
   * One appointment.
   *
   * @throws {InvalidRequestError} An argument is wrong, such as an id of the wrong form.
   * @throws {NotFoundError} The business has no such appointment.
   * @example
   * const { slotTime, customer } = await api.appointments.get(appointmentId);
   */
  get(appointmentId: string, options?: CallOptions): ApiPromise<Appointment> {
    return this.api.send("appointments.get", { params: { appointmentId } }, options);
  }
}
