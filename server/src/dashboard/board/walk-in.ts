import { hash } from "node:crypto";
import { customerName, phone } from "@queue-api/contract";
import type { Response } from "express";
import { z } from "zod";
import { type Html, html } from "../../lib/html.js";
import { randomText } from "../../rules/base62.js";
import { fingerprint } from "../../rules/idempotency.js";
import { newId } from "../../rules/ids.js";
import { expectedWait, position } from "../../rules/line.js";
import { formatPhone, storedPhone } from "../../rules/phone.js";
import type { Entry, EntryInLine, Service } from "../../rules/records.js";
import { StaleError } from "../../rules/stale.js";
import { tokenLabel } from "../../rules/token.js";
import { type CustomerRequest, tokenRequest } from "../../rules/token-creation.js";
import { formToken } from "../accounts/form-token.js";
import { nameFromForm } from "../customer-name.js";
import { inHours } from "../date-format.js";
import type { Flash } from "../flash.js";
import { type FormState, formError, inputs, type Option, untouchedForm } from "../forms.js";
import { orNotFound, PageNotFound } from "../page-error.js";
import { dashboardPath } from "../request.js";
import type { FormError } from "../resource.js";
import type { Redirect, Visit } from "../visit.js";
import { undoOf } from "./acts.js";
import { whyNoToken } from "./perform-act.js";

const orNothing = (text: string) => (text === "" ? null : text);

/** What is known of a person, as the forms at the counter take it. */
export const personForm = z.object({
  name: z
    .string()
    .trim()
    .refine(
      (name) => name === "" || customerName.safeParse(name).success,
      "A name has at most 120 characters.",
    )
    .transform(orNothing),
  phone: z
    .string()
    .trim()
    .refine(
      (number) => number === "" || phone.safeParse(number).success,
      "Enter the whole number with its country code: 8 to 20 digits in at most 20 characters, such as +91 98000 00001.",
    )
    .transform(orNothing),
  service: z.string().transform(orNothing),
});

export const walkInForm = personForm.extend({
  queue: z.string(),
  form: z.string().regex(/^[A-Za-z0-9]{8,64}$/),
  priority: z.literal("on").optional(),
});

/**
 * Adds the person of a form, once however often the form is sent, and returns the message. Throws
 * {@link PageNotFound} if the business has no such queue.
 */
export async function walkIn(
  { store, random, business, audit }: Visit,
  { queue, form, name, phone, service, priority }: z.output<typeof walkInForm>,
): Promise<Flash | FormError> {
  const person: CustomerRequest = {
    queueId: queue,
    customerName: name,
    ...storedPhone(phone),
    serviceId: service,
    priority: priority === "on",
  };
  const now = audit?.row.at ?? store.now(); // a person's card reads the audit log from this time on
  const id = newId(now, random);
  audit?.setPath(`/board/people/${id}/walk-in`);
  const created = await store.entries.create(business.id, {
    ...tokenRequest(business, person, { now, random, id }),
    // No Idempotency-Key of the API contains a colon.
    keyed: { key: `form:${form}`, fingerprint: fingerprint("form", "", {}, person) },
  });
  switch (created.outcome) {
    case "created": {
      const { entry } = created.receipt;
      const text = `${tokenLabel(entry)} was added${placeInWords(created.receipt)}.`;
      const undo = undoOf(entry, "cancel");
      return { kind: "done", text, entryId: entry.id, isPrintable: true, undo };
    }
    case "replay": {
      const { entry } = created.receipt;
      const text = `${tokenLabel(entry)} was added already. Nobody was added twice.`;
      return { kind: "warning", text, entryId: entry.id, isPrintable: true };
    }
    case "reused":
      return { kind: "warning", text: "That form was sent already. Here is a new one." };
    case "queue_not_found":
      throw new PageNotFound();
    case "service_unknown":
      return { field: "service", message: whyNoToken.service_unknown };
    default:
      return { field: "", message: whyNoToken[created.outcome] };
  }
}

/** The place in the line, and the expected wait if it is known. */
function placeInWords({ line }: EntryInLine): string {
  if (!line) return "";
  const { ahead, pace } = line;
  const wait = expectedWait(ahead, pace);
  return `: place ${position(ahead)}${!wait ? "" : `, about ${inHours(wait)}`}`;
}

/** The form that adds a walk-in to a queue. It is open when it has content or errors to show. */
export function walkInCard(
  visit: Visit,
  queueId: string,
  services: readonly Service[],
  state: FormState,
): Html {
  return html`<details class="walk-in"${state !== untouchedForm && html` open`}><summary>Add a walk-in</summary>
${walkInPart(visit, queueId, services, state)}</details>
`;
}

/** The part of it that changes. Each rendering is a new form, which adds one person. */
export function walkInPart(
  { res, random }: Visit,
  queueId: string,
  services: readonly Service[],
  state: FormState,
): Html {
  const { text, select, check } = inputs(state, {}, `walk-in-${queueId}`);
  const { typed, errors } = state;
  const isDetailed = [typed.phone, typed.service, typed.priority, errors.service].some(Boolean);
  const active = services.filter((service) => service.active);
  const service =
    active.length > 0
      ? select({ name: "service", label: "Service", options: serviceOptions(active) })
      : html`<input type="hidden" name="service" value="">`;
  // With the card as its fragment: without a script, a browser shows a form that was refused at the card.
  const action = dashboardPath(res, `/board/walk-in#queue-${queueId}`);
  return html`<div id="walk-in-${queueId}"><form method="post" action="${action}">
${formToken(res)}<input type="hidden" name="queue" value="${queueId}"><input type="hidden" name="form" value="${randomText(random, 24)}">
${formError(state)}${text({ name: "name", label: "Name (optional)" })}<details${isDetailed && html` open`}><summary>More details</summary>
${text({ name: "phone", label: "Phone", type: "tel" })}${service}${check({ name: "priority", label: "Priority" })}</details>
<div class="actions"><button class="button">Add to the line</button></div>
</form></div>
`;
}

/** Corrects the name, the phone number or the service of the person in the path. */
export async function correctPerson(
  { req, store, audit, business: { id: businessId }, id: entryId }: Visit,
  { name, phone, service }: z.output<typeof personForm>,
): Promise<Redirect | FormError> {
  const found = orNotFound(await store.entries.get(businessId, entryId)).entry;
  const services = await store.services.list(businessId);
  const chosen = services.find(({ id }) => id === service);
  if (service !== null && !chosen) throw new PageNotFound();
  const isSame = service === found.serviceId;
  const correction = {
    customerName: nameFromForm(req.body.name, name, found.customerName),
    ...storedPhone(phone),
    serviceId: service,
    workMinutes: isSame ? found.workMinutes : (chosen?.baseTimeMinutes ?? null),
  };
  audit?.setPath(`/board/people/${entryId}/correct`);
  if (req.body?.known !== knownOf(found)) throw new StaleError();
  const seen = { seen: found.revision };
  const corrected = await store.entries.correct(businessId, entryId, correction, seen);
  if (corrected.outcome === "service_unknown") {
    return { field: "service", message: whyNoToken.service_unknown };
  }
  if (corrected.outcome !== "changed") throw new StaleError();
  const text = `${tokenLabel(found)} is corrected.`;
  return { to: `#queue-${found.queueId}`, flash: { kind: "done", text, entryId } };
}

/** Names what is known of a person. A correction is refused if it has changed meanwhile. */
function knownOf(entry: Entry): string {
  const known = [entry.id, entry.customerName, formatPhone(entry), entry.serviceId];
  return hash("sha256", JSON.stringify(known), "base64url").slice(0, 16);
}

/** The form that corrects a person. In an open card it stays as it is. */
export function correctionForm(
  res: Response,
  entry: Entry,
  services: readonly Service[],
  state: FormState,
): Html {
  const { text, select } = inputs(state, {}, `correct-${entry.id}`);
  const offered = services.filter(({ id, active }) => active || id === entry.serviceId);
  const fields = [
    text({ name: "name", label: "Name", value: entry.customerName }),
    text({ name: "phone", label: "Phone", type: "tel", value: formatPhone(entry) }),
    select({
      name: "service",
      label: "Service",
      value: entry.serviceId,
      options: serviceOptions(offered),
    }),
  ];
  return html`<details class="correct" id="correct-${entry.id}" data-kept="${entry.id}"${state !== untouchedForm && html` open`}><summary>Correct</summary>
<form method="post" action="${dashboardPath(res, `/board/people/${entry.id}`)}">${formToken(res)}<input type="hidden" name="known" value="${knownOf(entry)}">
${formError(state)}${fields}<div class="actions"><button class="button">Save</button></div>
</form></details>
`;
}

function serviceOptions(services: readonly Service[]): readonly Option[] {
  const none = { value: "", label: "No particular service" };
  return [none, ...services.map(({ id, name }) => ({ value: id, label: name }))];
}
