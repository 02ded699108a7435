import { type AppointmentStatus, appointmentStatus } from "@queue-api/contract";
import { businessDay } from "../../rules/business-day.js";
import { newId } from "../../rules/ids.js";
import type { Appointment, Entry } from "../../rules/records.js";
import { StaleError } from "../../rules/stale.js";
import { tokenLabel } from "../../rules/token.js";
import { undoOf } from "../board/acts.js";
import { whyNoToken } from "../board/perform-act.js";
import type { Flash } from "../flash.js";
import { PageError, PageNotFound } from "../page-error.js";
import { seenIn } from "../resource.js";
import type { Redirect, Visit } from "../visit.js";
import { appointments } from "./appointment-pages.js";
import { pathOfDay } from "./day-page.js";
import { isBeingCheckedIn, statusWords } from "./status-words.js";

/**
 * `POST /appointments/:id/status`: sets the status. A customer who has arrived gets a token, if
 * the form names a queue.
 */
export async function setStatus(visit: Visit): Promise<Redirect> {
  const { req, store, business } = visit;
  const appointment = await appointments.find(visit);
  const { id, date, slotTime, entry } = appointment;
  const { to, undoes } = readChange(req.body);
  const queueId = String(req.body?.queue ?? "");
  const redirectToDay = (flash: Flash) => ({ to: pathOfDay(date), flash });
  if (to === "CHECKED_IN" && queueId !== "") {
    return redirectToDay(await checkedIn(visit, appointment, queueId));
  }
  const refusal = (why: string) =>
    redirectToDay({ kind: "warning", text: `${slotTime} ${why}`, appointmentId: id });
  const stays = refusal("was changed by another person, so it stays.");
  if (undoes !== null && undoes !== appointment.status) return stays;
  if (entry !== null) return redirectToDay(await cancelToken(visit, entry, to));
  const seen = undoes === null ? seenIn(visit) : appointment.revision;
  visit.audit?.setPath(`/appointments/${id}/status/${to}`);
  const changed = await store.appointments
    .change(business.id, id, { status: to }, seen)
    .catch((error: unknown) => {
      if (error instanceof StaleError) return null;
      throw error;
    });
  if (changed === null) return stays;
  if (changed.outcome === "has_token") return refusal(isBeingCheckedIn);
  if (changed.outcome !== "changed") throw new PageNotFound();
  const value = `${appointment.status}.${to}`;
  const isHere = to === "CHECKED_IN" && undoes === null;
  const noToken = isHere && (await isEveryQueueClosed(visit, date)) ? ` ${noTokenGiven}` : "";
  return redirectToDay({
    kind: "done",
    text: `${slotTime} ${statusWords[to].outcome}.${noToken}`,
    appointmentId: id,
    ...(undoes === null && { undo: { to: `/appointments/${id}/status`, name: "undo", value } }),
  });
}

const noTokenGiven = "No token was given, because every queue is closed.";

/** Whether no queue could give a token to a customer of an appointment of this day, which is today. */
async function isEveryQueueClosed({ store, business }: Visit, date: string): Promise<boolean> {
  if (date !== businessDay(store.now(), business.timezone)) return false;
  const queues = await store.queues.list(business.id);
  return queues.length > 0 && queues.every(({ isActive }) => !isActive);
}

/** The status that a form asks for. `undoes`: the status that an undo reverts; null for any other form. */
function readChange(body: Readonly<Record<string, unknown>> | undefined) {
  const [undo, undoes = null] = typeof body?.undo === "string" ? body.undo.split(".") : [];
  const wanted = appointmentStatus.safeParse(undo ?? body?.status);
  if (wanted.success) return { to: wanted.data, undoes };
  throw new PageError(422, "Nothing was changed", "The form did not name a valid status.");
}

/** Cancels an appointment by its token. In every other way, the token changes first. */
async function cancelToken(
  { store, audit }: Visit,
  entry: Entry,
  to: AppointmentStatus,
): Promise<Flash> {
  const { businessId, id, date } = entry;
  const token = tokenLabel(entry);
  if (to !== "CANCELLED") {
    const text = `This appointment has the token ${token}. Change its status on the board.`;
    return { kind: "warning", text };
  }
  const now = store.now();
  audit?.setPath(`/board/people/${id}/cancel`);
  const result = await store.entries.transition(businessId, id, "cancel", now);
  if (result.outcome !== "changed") {
    return { kind: "warning", text: `${token} is no longer waiting. Nothing was changed.` };
  }
  const text = `${token} was canceled, and the appointment with it.`;
  const undo = { ...undoOf(result.entry), to: `/board?day=${date}` };
  return { kind: "done", text, entryId: id, undo };
}

/**
 * Checks an appointment in to a queue, and returns the outcome. Throws {@link PageNotFound} if the
 * appointment or the queue does not exist.
 */
async function checkedIn(
  { store, random, business, audit }: Visit,
  { id: appointmentId, slotTime }: Appointment,
  queueId: string,
): Promise<Flash> {
  const now = audit?.row.at ?? store.now(); // a person's card reads the audit log from this time on
  const id = newId(now, random);
  audit?.setPath(`/board/people/${id}/check-in`);
  const date = businessDay(now, business.timezone);
  const request = { id, queueId, date, issuedAt: now };
  const result = await store.appointments.checkIn(business.id, appointmentId, request);
  const warning = (text: string): Flash => ({ kind: "warning", text });
  switch (result.outcome) {
    case "created": {
      const { entry } = result.receipt;
      return {
        kind: "done",
        text: `${tokenLabel(entry)} was given for the appointment at ${slotTime}. The person is in the line.`,
        entryId: entry.id,
        isPrintable: true,
      };
    }
    case "not_expected": {
      const entry = (await store.appointments.get(business.id, appointmentId))?.entry;
      if (entry) return warning(`The appointment has the token ${tokenLabel(entry)} already.`);
      const { word } = statusWords[result.status];
      return warning(`The appointment was changed already: ${word}. No token was given.`);
    }
    case "other_day":
      return warning("The appointment is not today, so no token was given.");
    case "not_found":
    case "queue_not_found":
      throw new PageNotFound();
    default:
      return warning(`No token was given. ${whyNoToken[result.outcome]}`);
  }
}
