import type { Appointment } from "../../rules/records.js";
import type { AppointmentChange } from "../port/appointments.js";
import type { Page, PageRequest } from "../port/page.js";
import { changeOne } from "./change-one.js";
import {
  type AppointmentDoc,
  readAppointment,
  writeAppointment,
} from "./collections/appointments.js";
import type { Database } from "./connection.js";
import { Cursors } from "./cursors.js";

/** A day's appointments. */
export class Appointments {
  readonly #db: Database;
  readonly #slots = new Cursors((doc: AppointmentDoc) => doc.slotTime);

  constructor(db: Database) {
    this.#db = db;
  }

  async get(businessId: string, id: string): Promise<Appointment | null> {
    const doc = await this.#db.appointments.model.findOne({ _id: id, businessId }).lean();
    return doc && readAppointment(doc);
  }

  async page(
    businessId: string,
    date: string,
    { limit, after }: PageRequest,
  ): Promise<Page<Appointment> | "cursor_unknown"> {
    const { appointments } = this.#db;
    const list = { businessId, date };
    const slotTime = after === null ? null : await this.#slots.find(appointments, after, list);
    if (after !== null && slotTime === null) return "cursor_unknown";
    const later =
      after === null || slotTime === null
        ? {}
        : {
            slotTime: { $gte: slotTime },
            $or: [{ slotTime: { $gt: slotTime } }, { _id: { $gt: after } }],
          };
    const docs = await appointments.model
      .find({ ...list, ...later })
      .sort({ slotTime: 1, _id: 1 })
      .limit(limit + 1)
      .lean();
    const more = docs.length > limit;
    const page = docs.slice(0, limit);
    const last = page.at(-1);
    if (more && last) this.#slots.remember(last);
    return { items: page.map(readAppointment), more };
  }

  async add(_businessId: string, appointment: Appointment): Promise<void> {
    await this.#db.appointments.raw.insertOne(writeAppointment(appointment));
  }

  async change(
    businessId: string,
    id: string,
    change: AppointmentChange,
  ): Promise<Appointment | null> {
    const doc = await changeOne(this.#db.appointments.raw, businessId, id, change);
    this.#slots.forget(id); // it may stand somewhere else now
    return doc && readAppointment(doc);
  }

  /** Forgets where pages ended: what they listed may be gone. */
  forgetCursors(): void {
    this.#slots.forgetAll();
  }
}
