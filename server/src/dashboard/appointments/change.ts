import {
  type AppointmentStatus,
  appointmentStatus,
  appointmentStatuses,
  id as idFormat,
} from "@queue-api/contract";
import type { RequestHandler, Response } from "express";
import { type Html, html } from "../../lib/html.js";
import { addAppointment, appointmentOptions, changeAppointment } from "../../owner/appointment.js";
import { businessDay } from "../../rules/business-day.js";
import { idOfForm, newId } from "../../rules/ids.js";
import { shownPhone } from "../../rules/phone.js";
import type { Appointment, Entry, Service } from "../../rules/records.js";
import { tokenLabel } from "../../rules/token.js";
import { type AppointmentWithEntry, withEntries } from "../../store/appointment-entries.js";
import type { Store } from "../../store/store.js";
import { accountRow, noteAudited } from "../accounts/audit-changes.js";
import { formToken } from "../accounts/form-token.js";
import { ask } from "../ask.js";
import { undoOf } from "../board/acts.js";
import { orNotFound, PageNotFound, PageRefusal } from "../errors.js";
import { done, type Flash, leaveFlash } from "../flash.js";
import {
  areaField,
  asNumber,
  asTextOrNull,
  type FormState,
  formError,
  readDays,
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
import { checkedIn, statusWords } from "./check-in.js";
import { dayLabel } from "./day.js";

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
export function showNewAppointment({ store, random, send }: DashboardDeps): RequestHandler {
  return async (req, res) => {
    const { business } = signedIn(res);
    const services = await store.services.list(business.id);
    const now = await store.now();
    const newOne = { services, id: newId(now, random), date: businessDay(now, business.timezone) };
    const read = readDays(req.query as Typed, dayLabel);
    if (!read.ok) return send(req, res, { ...view(res, newOne, read.state), status: 422 });
    send(req, res, view(res, { ...newOne, date: read.value.date ?? newOne.date }, untouched));
  };
}

/** `POST /appointments` */
export function createAppointment({ store, random, send }: DashboardDeps): RequestHandler {
  return async (req, res) => {
    const { business } = signedIn(res);
    const services = await store.services.list(business.id);
    const now = await store.now();
    const formId = idFormat.safeParse(req.body?.id).data ?? newId(now, random);
    const id = idOfForm(business.id, formId);
    const refuse = (state: FormState) =>
      send(req, res, { ...view(res, { services, id: formId, date: "" }, state), status: 422 });
    const checked = readForm(req, appointmentOptions, fields);
    if (!checked.ok) return refuse(checked.state);
    // The form has the id of the new one: sending it twice makes one appointment.
    const made =
      (await store.appointments.get(business.id, id)) ??
      (await addAppointment(store, business.id, checked.value, { now, random, id }));
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
    const { appointment } = await ownAppointment(store, business.id, req.params.appointmentId);
    const services = await store.services.list(business.id);
    send(req, res, view(res, { services, date: appointment.date, appointment }, untouched));
  };
}

/** `POST /appointments/:appointmentId` */
export function editAppointment({ store, send }: DashboardDeps): AppointmentRoute {
  return async (req, res) => {
    const { business } = signedIn(res);
    const { appointment } = await ownAppointment(store, business.id, req.params.appointmentId);
    const services = await store.services.list(business.id);
    const known = { services, date: appointment.date, appointment };
    const refuse = (state: FormState) =>
      send(req, res, { ...view(res, known, state), status: 422 });
    // The form of an appointment with a token has no status: it follows the token.
    const status = appointment.entryId === null ? req.body?.status : appointment.status;
    const body = { ...req.body, status };
    const checked = readForm({ body }, appointmentOptions, fields);
    if (!checked.ok) return refuse(checked.state);
    const changed = await changeAppointment(store, appointment, checked.value);
    if (changed === "service_unknown") return refuse(withFault(req, "serviceId", serviceGone));
    if (changed === "not_found") throw new PageNotFound();
    done(req, res, "The appointment is changed.", `/appointments?date=${changed.date}`);
  };
}

/** `GET /appointments/:appointmentId/remove`: asks for confirmation. */
export function askToRemove({ store, send }: DashboardDeps): AppointmentRoute {
  return async (req, res) => {
    const { business } = signedIn(res);
    const { appointment } = await ownAppointment(store, business.id, req.params.appointmentId);
    const here = `/appointments/${appointment.id}`;
    const question = {
      title: "Remove this appointment?",
      text: html`The appointment at ${appointment.slotTime} is removed, as if it was never made. To keep a note of it, cancel it instead.`,
      ...{ action: `${here}/remove`, yes: "Remove it", no: "Keep it", back: here },
    };
    send(req, res, ask(res, question));
  };
}

/** `POST /appointments/:appointmentId/remove`: an appointment with a token stays. */
export function removeAppointment({ store }: DashboardDeps): AppointmentRoute {
  return async (req, res) => {
    const { business } = signedIn(res);
    const { appointment } = await ownAppointment(store, business.id, req.params.appointmentId);
    const { id, date, slotTime } = appointment;
    const isRemoved = (await store.appointments.remove(business.id, id)) === "removed";
    leaveFlash(req, res, {
      kind: isRemoved ? "done" : "kindly",
      text: `The appointment at ${slotTime} ${isRemoved ? "is removed" : "has a token, so it stays"}.`,
    });
    res.redirect(303, at(res, `/appointments?date=${date}`));
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
    const { appointment, entry } = await ownAppointment(
      store,
      business.id,
      req.params.appointmentId,
    );
    const { id, date, slotTime } = appointment;
    const answer = (said: Flash) => {
      leaveFlash(req, res, said);
      res.redirect(303, at(res, `/appointments?date=${date}`));
    };
    const { to, undoes } = readChange(req.body);
    const queueId = String(req.body?.queue ?? "");
    if (to === "CHECKED_IN" && queueId !== "") {
      return answer(await checkedIn(deps, res, business, appointment, queueId));
    }
    if (undoes !== null && undoes !== appointment.status) {
      const text = `The appointment at ${slotTime} was changed meanwhile, so it stays.`;
      return answer({ kind: "kindly", text });
    }
    if (entry !== null) return answer(await cancelToken(deps, res, entry, to));
    orNotFound(await store.appointments.change(business.id, id, { status: to }));
    const value = `${appointment.status}.${to}`;
    answer({
      kind: "done",
      text: `The appointment at ${slotTime}: ${statusWords[to].word}.`,
      ...(undoes === null && { undo: { to: `/appointments/${id}/status`, name: "undo", value } }),
    });
  };
}

/** The status that a form asks for. `undoes`: the status that an undo takes back; null for any other form. */
function readChange(body: Readonly<Record<string, unknown>> | undefined) {
  const [undo, undoes = null] = typeof body?.undo === "string" ? body.undo.split(".") : [];
  const wanted = appointmentStatus.safeParse(undo ?? body?.status);
  if (wanted.success) return { to: wanted.data, undoes };
  throw new PageRefusal(422, "Nothing was changed", "The form did not name a valid status.");
}

/** Cancels an appointment by its token. In every other way, the token changes first. */
async function cancelToken(
  { store }: DashboardDeps,
  res: Response,
  entry: Entry,
  to: AppointmentStatus,
): Promise<Flash> {
  const { businessId, id } = entry;
  const token = tokenLabel(entry);
  if (to !== "CANCELLED") {
    const text = `${token} decides about this appointment. Use the board.`;
    return { kind: "kindly", text };
  }
  const now = await store.now();
  noteAudited(res);
  const audit = accountRow(res, `/board/people/${id}/cancel`, now);
  const result = await store.entries.move(businessId, id, "cancel", now, { audit });
  if (result.outcome !== "moved") {
    return { kind: "kindly", text: `${token} does not wait any more. Nothing was changed.` };
  }
  const text = `${token} was canceled, and the appointment with it.`;
  return { kind: "done", text, entryId: id, undo: undoOf(result.entry) };
}

async function ownAppointment(
  store: Store,
  businessId: string,
  id: string,
): Promise<AppointmentWithEntry> {
  const found = orNotFound(await store.appointments.get(businessId, id));
  return orNotFound((await withEntries(store, businessId, [found]))[0]);
}

/** The values that a form starts with. */
interface Known {
  readonly services: readonly Service[];
  readonly date: string;
  /** The id in the form of a new one. */
  readonly id?: string;
  /** Absent for a new one. */
  readonly appointment?: Appointment;
}

function view(res: Response, known: Known, state: FormState) {
  const { appointment, date } = known;
  const action = at(res, appointment ? `/appointments/${appointment.id}` : "/appointments");
  const back = at(res, date === "" ? "/appointments" : `/appointments?date=${date}`);
  const body = html`${formError(state)}<form class="card" method="post" action="${action}">
${formToken(res)}${known.id && html`<input type="hidden" name="id" value="${known.id}">`}${form(known, state)}<div class="actions"><button class="primary">${appointment ? "Save" : "Make the appointment"}</button><a class="button quiet" href="${back}">Back</a>${appointment?.entryId === null && html`<a class="button danger" href="${action}/remove">Remove…</a>`}</div>
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
)}${
  !appointment?.entryId &&
  selectField(
    {
      name: "status",
      label: fields.status.label,
      options: appointmentStatuses.map((value) => ({ value, label: statusWords[value].word })),
      value: status,
    },
    state,
  )
}</div>
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
