import { appointmentStatuses } from "@queue-api/contract";
import type { z } from "zod";
import { html } from "../../lib/html.js";
import { appointmentOptions } from "../../owner/appointment.js";
import type { AppointmentWithEntry } from "../../rules/appointment-status.js";
import { businessDay } from "../../rules/business-day.js";
import { formatPhone, storedPhone } from "../../rules/phone.js";
import type { Appointment } from "../../rules/records.js";
import { nameFromForm } from "../customer-name.js";
import { asNumber, asTextOrNull, type FormState, formCard, inputs, inRow } from "../forms.js";
import type { View } from "../layout.js";
import { orNotFound, PageNotFound } from "../page-error.js";
import { dashboardPath } from "../request.js";
import { type Resource, targetField } from "../resource.js";
import { done, type Visit } from "../visit.js";
import { pathOfDay, readDay, showDay } from "./day-page.js";
import { isBeingCheckedIn, statusWords } from "./status-words.js";

const accepted = {
  schema: appointmentOptions,
  fields: {
    date: { label: "Day" },
    slotTime: { label: "Time" },
    durationMinutes: { label: "Minutes", read: asNumber },
    status: { label: "State" },
    serviceId: { label: "Service", read: asTextOrNull },
    customerName: { label: "Name", read: asTextOrNull },
    customerPhone: { label: "Phone number", read: asTextOrNull },
    notes: { label: "Notes", read: asTextOrNull },
  },
};

/** The form of an appointment with a token names no status. */
const appointmentChange = appointmentOptions.partial({ status: true });

const serviceGone = {
  field: "serviceId",
  message: "This service is switched off or was removed. Choose another one.",
};

/** An appointment with the entry of its token; null if it has none. */
type Booked = Appointment & Pick<AppointmentWithEntry, "entry">;

/** The appointments of the business. */
export const appointments: Resource<
  Booked,
  z.output<typeof appointmentOptions>,
  z.output<typeof appointmentChange>
> = {
  path: "/appointments",
  list: showDay,
  async find({ store, business, id }) {
    const { appointment, entry } = orNotFound(await store.appointments.get(business.id, id));
    return { ...appointment, entry };
  },
  view,
  add: {
    ...accepted,
    async act({ store, business: { id: businessId } }, input, { id }) {
      const fields = { ...input, ...storedPhone(input.customerPhone) };
      const asked = { id, businessId, ...fields, revision: 0 };
      const { outcome } = await store.appointments.add(businessId, asked);
      if (outcome === "service_unknown") return serviceGone;
      const known = outcome === "exists" ? await store.appointments.get(businessId, id) : null;
      const { date, slotTime } = known?.appointment ?? asked;
      const text = `${slotTime} is booked.`;
      return { to: pathOfDay(date), flash: { kind: "done", text, appointmentId: id } };
    },
  },
  change: {
    ...accepted,
    schema: appointmentChange,
    async act({ req, store }, item, input, seen) {
      const sent = req.body.customerName;
      const customerName = nameFromForm(sent, input.customerName, item.customerName);
      const all = { ...input, customerName, ...storedPhone(input.customerPhone) };
      const { status, date, slotTime, ...others } = all;
      const isChosen = status !== undefined && status !== item.status;
      const free = { ...others, date, slotTime, ...(isChosen && { status }) };
      const asked = item.entry === null ? free : others; // it follows the token, which is of today
      const changed = await store.appointments.change(item.businessId, item.id, asked, seen);
      if (changed.outcome === "service_unknown") return serviceGone;
      if (changed.outcome === "has_token")
        return { field: "", message: `The appointment ${isBeingCheckedIn}` };
      if (changed.outcome === "not_found") throw new PageNotFound();
      const { appointment } = changed;
      const to = pathOfDay(appointment.date);
      const { status: kept } = appointment;
      const isSameTime = date === appointment.date && slotTime === appointment.slotTime;
      if (!isSameTime || (status ?? kept) !== kept) {
        const text =
          "The appointment has a token, so its day, time and state stay. The rest is changed.";
        return { to, flash: { kind: "warning", text } };
      }
      return done("The appointment is changed.", to);
    },
  },
  removal: {
    verb: "remove",
    question: ({ id, slotTime }) => ({
      title: "Remove this appointment?",
      text: html`The appointment at ${slotTime} is removed, as if it was never made. To keep a note of it, cancel it instead.`,
      back: `/appointments/${id}`,
    }),
    /** An appointment with a token stays. */
    async act({ store, business }, { id, date, slotTime }) {
      const isRemoved = (await store.appointments.remove(business.id, id)) === "removed";
      const kind = isRemoved ? "done" : "warning";
      const outcome = isRemoved ? "is removed" : "has a token or is being checked in, so it stays";
      return {
        to: pathOfDay(date),
        flash: { kind, text: `The appointment at ${slotTime} ${outcome}.` },
      };
    },
  },
};

async function view(
  { req, res, store, business }: Visit,
  state: FormState,
  target: Booked | string,
): Promise<View> {
  const item = typeof target === "string" ? null : target;
  const services = await store.services.list(business.id);
  const today = businessDay(store.now(), business.timezone);
  const query = readDay(req.query);
  const date = item?.date ?? (query.ok ? query.value.date : null) ?? today;
  const formState = query.ok ? state : query.state;
  const { text, area, select } = inputs(formState, accepted.fields);
  const offered = services.filter(({ id, active }) => active || id === item?.serviceId);
  const names = offered.map(({ id, name }) => ({ value: id, label: name }));
  const statuses = appointmentStatuses.map((value) => ({ value, label: statusWords[value].word }));
  const { slotTime, durationMinutes = 15, status = "CONFIRMED" } = item ?? {};
  const hasToken = item !== null && item.entry !== null;
  const fixed = hasToken ? html`readonly` : html`required`;
  const body = formCard(res, {
    action: item ? `/appointments/${item.id}` : "/appointments",
    page: !item && "/appointments/new",
    state: formState,
    fields: [
      targetField(target),
      inRow(
        text({ name: "date", type: "date", value: date, attributes: fixed }),
        text({ name: "slotTime", type: "time", value: slotTime, attributes: fixed }),
        text({
          name: "durationMinutes",
          type: "number",
          value: durationMinutes,
          attributes: html`min="1" max="1440" required`,
        }),
      ),
      inRow(
        text({
          name: "customerName",
          ...(hasToken && { hint: "The token keeps its own name: correct it on the board." }),
          value: item?.customerName,
        }),
        text({ name: "customerPhone", type: "tel", value: item && formatPhone(item) }),
      ),
      inRow(
        select({
          name: "serviceId",
          value: item?.serviceId,
          options: [{ value: "", label: "None" }, ...names],
        }),
        html`${!hasToken && select({ name: "status", value: status, options: statuses })}`,
      ),
      area({
        name: "notes",
        value: item?.notes,
        hint: "Only for this business. The API does not show them.",
      }),
    ],
    submit: item ? "Save" : "Make the appointment",
    back: [pathOfDay(date), "Back"],
    more:
      item?.entry === null &&
      html`<a class="button danger" href="${dashboardPath(res, `/appointments/${item.id}/remove`)}">Remove…</a>`,
  });
  const title = item ? `Appointment at ${item.slotTime}` : "New appointment";
  return { title, body, status: query.ok ? 200 : 422 };
}
