import { appointmentStatus, appointmentStatuses } from "@queue-api/contract";
import type { RequestHandler, Response } from "express";
import { type Html, html } from "../../lib/html.js";
import { addAppointment, appointmentOptions, changeAppointment } from "../../owner/appointment.js";
import { businessDay } from "../../rules/business-day.js";
import { shownPhone } from "../../rules/phone.js";
import type { Appointment, Service } from "../../rules/records.js";
import type { Store } from "../../store/store.js";
import { formToken } from "../accounts/form-token.js";
import { readDays } from "../asked-day.js";
import { asNumber, asTextOrNull } from "../checked-form.js";
import { orNotFound, PageNotFound, PageRefusal } from "../errors.js";
import { done, leaveFlash } from "../flash.js";
import {
  areaField,
  type FormState,
  formError,
  readForm,
  selectField,
  type Typed,
  textField,
  untouched,
  withFault,
} from "../forms.js";
import type { DashboardDeps } from "../page.js";
import { at } from "../root.js";
import { signedIn } from "../signed-in.js";
import { checkedIn } from "./check-in.js";
import { dayLabel } from "./day.js";
import { statusWords } from "./words.js";

type AppointmentRoute = RequestHandler<{ appointmentId: string }>;

const fields = {
  date: { label: "Day" },
  slotTime: { label: "Time" },
  durationMinutes: { label: "Minutes", read: asNumber },
  status: { label: "State" },
  serviceId: { label: "Service", read: asTextOrNull },
  customerName: { label: "Name", read: asTextOrNull },
  customerPhone: { label: "Phone number", read: asTextOrNull },
  notes: { label: "Notes", read: asTextOrNull },
} as const;

const serviceGone = "This service is switched off or was removed. Choose another one.";

/** `GET /appointments/new?date=` */
export function showNewAppointment({ store, send }: DashboardDeps): RequestHandler {
  return async (req, res) => {
    const { business } = signedIn(res);
    const services = await store.services.list(business.id);
    const today = businessDay(await store.now(), business.timezone);
    const read = readDays(req.query as Typed, dayLabel);
    if (!read.ok) {
      return send(req, res, { ...view(res, { services, date: today }, read.state), status: 422 });
    }
    send(req, res, view(res, { services, date: read.value.date ?? today }, untouched));
  };
}

/** `POST /appointments` */
export function createAppointment({ store, random, send }: DashboardDeps): RequestHandler {
  return async (req, res) => {
    const { business } = signedIn(res);
    const services = await store.services.list(business.id);
    const refuse = (state: FormState) =>
      send(req, res, { ...view(res, { services, date: "" }, state), status: 422 });
    const checked = readForm(req, appointmentOptions, fields);
    if (!checked.ok) return refuse(checked.state);
    const making = { now: await store.now(), random };
    const made = await addAppointment(store, business.id, checked.value, making);
    if (made === "service_unknown") return refuse(withFault(req, "serviceId", serviceGone));
    done(
      req,
      res,
      `The appointment at ${made.slotTime} is made.`,
      `/appointments?date=${made.date}`,
    );
  };
}

/** `GET /appointments/:appointmentId` */
export function showAppointment({ store, send }: DashboardDeps): AppointmentRoute {
  return async (req, res) => {
    const { business } = signedIn(res);
    const appointment = await ownAppointment(store, business.id, req.params.appointmentId);
    const services = await store.services.list(business.id);
    send(req, res, view(res, { services, date: appointment.date, appointment }, untouched));
  };
}

/** `POST /appointments/:appointmentId` */
export function editAppointment({ store, send }: DashboardDeps): AppointmentRoute {
  return async (req, res) => {
    const { business } = signedIn(res);
    const appointment = await ownAppointment(store, business.id, req.params.appointmentId);
    const services = await store.services.list(business.id);
    const known = { services, date: appointment.date, appointment };
    const refuse = (state: FormState) =>
      send(req, res, { ...view(res, known, state), status: 422 });
    const checked = readForm(req, appointmentOptions, fields);
    if (!checked.ok) return refuse(checked.state);
    const changed = await changeAppointment(store, appointment, checked.value);
    if (changed === "service_unknown") return refuse(withFault(req, "serviceId", serviceGone));
    if (changed === "not_found") throw new PageNotFound();
    done(req, res, "The appointment is changed.", `/appointments?date=${changed.date}`);
  };
}

/**
 * `POST /appointments/:appointmentId/status`: sets the status. A customer who has arrived gets a token, if
 * the form names a queue.
 */
export function setStatus(deps: DashboardDeps): AppointmentRoute {
  const { store } = deps;
  return async (req, res) => {
    const { business } = signedIn(res);
    const wanted = appointmentStatus.safeParse(req.body?.status);
    if (!wanted.success) {
      throw new PageRefusal(422, "Nothing was changed", "The form did not name a valid status.");
    }
    const { appointmentId } = req.params;
    const queueId = String(req.body?.queue ?? "");
    if (wanted.data === "CHECKED_IN" && queueId !== "") {
      const { date } = await ownAppointment(store, business.id, appointmentId);
      leaveFlash(req, res, await checkedIn(deps, res, business, appointmentId, queueId));
      return res.redirect(303, at(res, `/appointments?date=${date}`));
    }
    const change = { status: wanted.data };
    const changed = orNotFound(await store.appointments.change(business.id, appointmentId, change));
    const { word } = statusWords[changed.status];
    done(
      req,
      res,
      `The appointment at ${changed.slotTime}: ${word}.`,
      `/appointments?date=${changed.date}`,
    );
  };
}

async function ownAppointment(store: Store, businessId: string, id: string): Promise<Appointment> {
  return orNotFound(await store.appointments.get(businessId, id));
}

/** The values that a form starts with. */
interface Known {
  readonly services: readonly Service[];
  readonly date: string;
  /** Absent for a new one. */
  readonly appointment?: Appointment;
}

function view(res: Response, known: Known, state: FormState) {
  const { appointment, date } = known;
  const action = at(res, appointment ? `/appointments/${appointment.id}` : "/appointments");
  const back = at(res, date === "" ? "/appointments" : `/appointments?date=${date}`);
  const body = html`${formError(state)}<form class="card" method="post" action="${action}">
${formToken(res)}${form(known, state)}<div class="actions"><button class="primary">${appointment ? "Save" : "Make the appointment"}</button><a class="button quiet" href="${back}">Cancel</a></div>
</form>
`;
  const title = appointment ? `Appointment at ${appointment.slotTime}` : "New appointment";
  return { title, body };
}

function form({ services, date, appointment }: Known, state: FormState): Html {
  const { slotTime = "", durationMinutes = 15, status = "CONFIRMED" } = appointment ?? {};
  const { serviceId, customerName, notes } = appointment ?? {};
  const phone = appointment ? shownPhone(appointment) : null;
  const text = (
    name: "date" | "slotTime" | "durationMinutes" | "customerName" | "customerPhone",
    type: "date" | "time" | "number" | "text" | "tel",
    value: string,
    attributes: Html,
  ) => textField({ name, label: fields[name].label, type, value, attributes }, state);
  const offered = services.filter(({ id, active }) => active || id === serviceId);
  return html`<div class="fields">
${text("date", "date", date, html`required`)}${text("slotTime", "time", slotTime, html`required`)}${text("durationMinutes", "number", `${durationMinutes}`, html`min="1" max="1440" required`)}</div>
<div class="fields">
${text("customerName", "text", customerName ?? "", html`maxlength="240"`)}${text("customerPhone", "tel", phone ?? "", html`maxlength="21"`)}</div>
<div class="fields">
${selectField(
  {
    name: "serviceId",
    label: fields.serviceId.label,
    options: [
      { value: "", label: "None" },
      ...offered.map(({ id, name }) => ({ value: id, label: name })),
    ],
    value: serviceId ?? "",
  },
  state,
)}${selectField(
  {
    name: "status",
    label: fields.status.label,
    options: appointmentStatuses.map((value) => ({ value, label: statusWords[value].word })),
    value: status,
  },
  state,
)}</div>
${areaField(
  {
    name: "notes",
    label: fields.notes.label,
    hint: "Only for this business. The API does not show them.",
    value: notes ?? "",
  },
  state,
)}`;
}
