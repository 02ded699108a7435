import type { Page } from "../../rules/list-answer.js";
import { listDay } from "../../rules/list-day.js";
import type { Appointment } from "../../rules/records.js";
import type { AppointmentChange } from "../port/appointments.js";
import type { PageRequest } from "../port/page.js";
import { changeOne } from "./change-one.js";
import {
  type AppointmentDoc,
  readAppointment,
  writeAppointment,
} from "./collections/appointments.js";
import type { Database } from "./connection.js";
import { Cursors } from "./cursors.js";

/** The appointments of a business. */
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
    asked: string,
    { limit, after, orEarlier = false }: PageRequest,
  ): Promise<Page<Appointment> | "cursor_unknown"> {
    const { appointments } = this.#db;
    const cursor =
      after === null
        ? { date: asked, place: "" }
        : await this.#slots.find(appointments, after, { businessId });
    const date = cursor && listDay(asked, cursor.date, orEarlier);
    if (!cursor || date === null) return "cursor_unknown";
    const slotTime = cursor.place;
    const later =
      after === null
        ? {}
        : {
            slotTime: { $gte: slotTime },
            $or: [{ slotTime: { $gt: slotTime } }, { _id: { $gt: after } }],
          };
    const docs = await appointments.model
      .find({ businessId, date, ...later })
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
    this.#slots.forget(id); // its place in the list may have changed
    return doc && readAppointment(doc);
  }

  /** Forgets the last items of pages, because they may have been removed. */
  forgetCursors(): void {
    this.#slots.forgetAll();
  }
}
