import { customerName, phone } from "@queue-api/contract";
import type { Request, Response } from "express";
import { z } from "zod";
import { type Html, html } from "../../lib/html.js";
import { type IssueOnceOutcome, issueOnce } from "../../owner/issue-once.js";
import type { EntryInLine } from "../../rules/entry-answer.js";
import { randomText } from "../../rules/ids.js";
import type { Customer } from "../../rules/issue.js";
import { position, predictedWait } from "../../rules/line.js";
import { shownPhone, storedPhone } from "../../rules/phone.js";
import type { Random } from "../../rules/ports.js";
import type { Business, Entry, Service } from "../../rules/records.js";
import { tokenLabel } from "../../rules/token.js";
import { accountRow, noteAudited } from "../accounts/audit-changes.js";
import { formToken } from "../accounts/form-token.js";
import { inHours } from "../date-format.js";
import { orNotFound, PageNotFound } from "../errors.js";
import type { Flash } from "../flash.js";
import {
  checkField,
  type FormState,
  formError,
  readForm,
  selectField,
  textField,
  untouched,
  withFault,
} from "../forms.js";
import type { DashboardDeps } from "../page.js";
import { at } from "../root.js";

const orNothing = (text: string) => (text === "" ? null : text);

/** What is known of a person, as the forms at the counter take it. */
const personForm = z.object({
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

const walkInForm = personForm.extend({
  queue: z.string(),
  form: z.string().regex(/^[A-Za-z0-9]{8,64}$/),
  priority: z.literal("on").optional(),
});

/** The outcome of a walk-in form: the message, and the new state of the form. */
export interface WalkInResult {
  readonly queueId: string;
  /** Null when the form itself shows the outcome. */
  readonly said: Flash | null;
  readonly state: FormState;
}

/** Adds the person of a posted form. Throws {@link PageNotFound} if the business has no such queue. */
export async function walkIn(
  req: Request,
  res: Response,
  business: Business,
  { store, random }: Pick<DashboardDeps, "store" | "random">,
): Promise<WalkInResult> {
  const read = readForm(req, walkInForm);
  const queueId = String(req.body?.queue ?? "");
  if (!read.ok) return { queueId, said: null, state: read.state };
  const { queue, form, name, phone, service, priority } = read.value;
  const person: Customer = {
    queueId: queue,
    customerName: name,
    ...storedPhone(phone),
    serviceId: service,
    priority: priority === "on",
  };
  const now = await store.now();
  const audit = accountRow(res, `/board/queues/${queue}/walk-in`, now, 201);
  noteAudited(res);
  const once = { name: `form:${form}`, content: person };
  const outcome = await issueOnce(store, business, person, once, { now, random, audit });
  const { said, state } = resultOf(req, outcome);
  if (outcome.outcome !== "added" || said === null) return { queueId, said, state };
  const added = await store.entries.get(business.id, outcome.entryId);
  const text = `${said.text.slice(0, -1)}${placeInWords(added)}.`;
  return { queueId, said: { ...said, text }, state };
}

/** The place in the line, and the expected wait if it is known. */
function placeInWords(added: EntryInLine | null): string {
  if (!added?.line) return "";
  const { ahead, pace } = added.line;
  const wait = predictedWait(ahead, pace);
  return `: place ${position(ahead)}${!wait ? "" : `, about ${inHours(wait)}`}`;
}

function resultOf(req: Request, result: IssueOnceOutcome): Omit<WalkInResult, "queueId"> {
  const refused = (field: string, message: string) => ({
    said: null,
    state: withFault(req, field, message),
  });
  const said = (kind: Flash["kind"], text: string, entryId: string) => ({
    said: { kind, text, entryId, isPrintable: true } as const,
    state: untouched,
  });
  switch (result.outcome) {
    case "added":
      return said("done", `${result.token} was added.`, result.entryId);
    case "added_before":
      return said(
        "kindly",
        `${result.token} was added already. Nobody was added twice.`,
        result.entryId,
      );
    case "name_used":
      return {
        said: { kind: "kindly", text: "That form was sent already. Here is a new one." },
        state: untouched,
      };
    case "queue_not_found":
      throw new PageNotFound();
    case "service_unknown":
      return refused("service", "This service is not offered any more. Choose another.");
    case "queue_unavailable":
      return refused("", "This queue is closed. Open it first.");
    case "queue_paused":
      return refused("", "This queue is paused. Resume it first.");
    case "plan_limit_reached":
      return refused("", "Today's limit of tokens is reached.");
  }
}

/** The form that adds a walk-in to a queue. It is open when it has content or errors to show. */
export function walkInCard(
  res: Response,
  queueId: string,
  services: readonly Service[],
  random: Random,
  state: FormState,
): Html {
  return html`<details class="walk-in"${state !== untouched && html` open`}><summary>Add a walk-in</summary>
<div id="walk-in-${queueId}">${walkInFields(res, queueId, services, random, state)}</div>
</details>
`;
}

/** The fields of the form. Each rendering is a new form, which adds one person. */
export function walkInFields(
  res: Response,
  queueId: string,
  services: readonly Service[],
  random: Random,
  state: FormState,
): Html {
  const idPrefix = `walk-in-${queueId}`;
  const active = services.filter((service) => service.active);
  const options = [
    { value: "", label: "No particular service" },
    ...active.map(({ id, name }) => ({ value: id, label: name })),
  ];
  const name = textField({ name: "name", label: "Name (optional)", idPrefix }, state);
  const phone = textField({ name: "phone", label: "Phone", type: "tel", idPrefix }, state);
  const service =
    active.length > 0
      ? selectField({ name: "service", label: "Service", options, idPrefix }, state)
      : html`<input type="hidden" name="service" value="">`;
  const { typed, errors } = state;
  const isDetailed = [typed.phone, typed.service, typed.priority, errors.service].some(Boolean);
  const priority = checkField({ name: "priority", label: "Priority", idPrefix }, state);
  return html`<form method="post" action="${at(res, "/board/walk-in")}">
${formToken(res)}<input type="hidden" name="queue" value="${queueId}"><input type="hidden" name="form" value="${randomText(random, 24)}">
${formError(state)}${name}<details${isDetailed && html` open`}><summary>More details</summary>
${phone}${service}${priority}</details>
<div class="actions"><button class="button">Add to the line</button></div>
</form>
`;
}

/**
 * `POST /board/people/:entryId`: corrects the name, the phone number or the service of a person. Returns the message, or
 * the form with its errors.
 */
export async function correctPerson(
  req: Request<{ entryId: string }>,
  res: Response,
  { id: businessId }: Business,
  { store }: Pick<DashboardDeps, "store">,
): Promise<Flash | FormState> {
  const read = readForm(req, personForm);
  if (!read.ok) return read.state;
  const { name, phone, service } = read.value;
  const { entryId } = req.params;
  const found = orNotFound(await store.entries.get(businessId, entryId)).entry;
  const services = await store.services.list(businessId);
  const chosen = services.find(({ id }) => id === service);
  if (service !== null && !chosen) throw new PageNotFound();
  const isSame = service === found.serviceId;
  const correction = {
    ...{ customerName: name, ...storedPhone(phone), serviceId: service },
    workMinutes: isSame ? found.workMinutes : (chosen?.baseTimeMinutes ?? null),
  };
  const now = await store.now();
  const seen = Number(req.body?.seen);
  const audit = accountRow(res, `/board/people/${entryId}/correct`, now);
  noteAudited(res);
  const result = await store.entries.correct(businessId, entryId, correction, { seen, audit });
  const token = tokenLabel(found);
  return result.outcome === "moved"
    ? { kind: "done", text: `${token} is corrected.`, entryId }
    : { kind: "kindly", text: `${token} was changed by another person meanwhile. Try again.` };
}

/** The form that corrects a person. */
export function correctionForm(
  res: Response,
  entry: Entry,
  services: readonly Service[],
  state: FormState,
): Html {
  const idPrefix = "correct";
  const offered = services.filter(({ id, active }) => active || id === entry.serviceId);
  const options = [
    { value: "", label: "No particular service" },
    ...offered.map(({ id, name }) => ({ value: id, label: name })),
  ];
  const text = (name: "name" | "phone", label: string, value: string | null) =>
    textField(
      { name, label, type: name === "phone" ? "tel" : "text", value: value ?? "", idPrefix },
      state,
    );
  return html`<details class="correct" id="correct"${state === untouched ? html` data-kept="${entry.revision}"` : html` open`}><summary>Correct</summary>
<form method="post" action="${at(res, `/board/people/${entry.id}`)}">${formToken(res)}<input type="hidden" name="seen" value="${entry.revision}">
${text("name", "Name", entry.customerName)}${text("phone", "Phone", shownPhone(entry))}${selectField({ name: "service", label: "Service", options, value: entry.serviceId ?? "", idPrefix }, state)}<div class="actions"><button class="button">Save</button></div>
</form></details>
`;
}
