import { day } from "@queue-api/contract";
import type { Request } from "express";
import { z } from "zod";
import { type Html, html } from "../lib/html.js";
import { check, type Fault } from "../owner/faults.js";

/** The typed values of a form, by field name. Several values of one name are a list. */
export type Typed = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A form as shown: the typed values and the errors, by field. */
export interface FormState {
  readonly typed: Typed;
  /** One message per field. The empty name holds the error of the whole form. */
  readonly errors: Readonly<Record<string, string>>;
}

/** An empty form without errors. */
export const untouched: FormState = { typed: {}, errors: {} };

export type FormResult<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly state: FormState };

/**
 * Reads a posted form by a schema and by its field definitions; see {@link checkTyped}. Without
 * definitions, each field of the schema is read as typed, "" if left empty, and the schema's messages are
 * whole sentences such as "Enter a name.".
 */
export function readForm<Schema extends z.ZodObject>(
  req: Pick<Request, "body">,
  schema: Schema,
  fields: Fields = asTyped(schema),
): FormResult<z.output<Schema>> {
  return checkTyped({ ...req.body }, schema, fields);
}

function asTyped(schema: z.ZodObject): Fields {
  return Object.fromEntries(Object.keys(schema.shape).map((name) => [name, { read: single }]));
}

/** The posted form with an error that was found later, such as an e-mail address that is taken. */
export function withFault(req: Request, field: string, message: string): FormState {
  return { typed: { ...req.body }, errors: { [field]: message } };
}

/** A text field of a form. */
export interface TextField {
  readonly name: string;
  readonly label: string;
  /** Default `text`. The value of a password field is never shown again. */
  readonly type?: "text" | "tel" | "email" | "password" | "number" | "time" | "date";
  /** A line that helps to fill it in. */
  readonly hint?: string;
  /** The initial value. */
  readonly value?: string;
  /** The HTML `autocomplete` value, such as `current-password`. Default `off`. */
  readonly autocomplete?: string;
  /** Further attributes. */
  readonly attributes?: Html;
  /** Prefix that keeps the ids of several forms on a page distinct. Default: none. */
  readonly idPrefix?: string;
}

/** A labelled field with its hint and its error, which assistive software reads together with it. */
export function textField(field: TextField, { typed, errors }: FormState): Html {
  const { name, label, type = "text", hint, autocomplete = "off", attributes } = field;
  const id = fieldId(field);
  const shown = type === "password" ? "" : (single(typed[name]) ?? field.value ?? "");
  return html`<div class="field">
<label for="${id}">${label}</label>
${
  hint &&
  html`<p class="hint" id="${id}-hint">${hint}</p>
`
}<input id="${id}" name="${name}" type="${type}" value="${shown}" autocomplete="${autocomplete}"${describedBy(id, hint, errors[name])}${attributes && html` ${attributes}`}>
${fieldError(id, errors[name])}</div>
`;
}

/** A field of a form that takes several lines. */
export type AreaField = Pick<TextField, "name" | "label" | "hint" | "value" | "idPrefix">;

/** A labelled field of several lines; see {@link textField}. */
export function areaField(field: AreaField, { typed, errors }: FormState): Html {
  const { name, label, hint } = field;
  const id = fieldId(field);
  // A browser drops the first line end after the tag, so the tag is followed by one.
  return html`<div class="field">
<label for="${id}">${label}</label>
${
  hint &&
  html`<p class="hint" id="${id}-hint">${hint}</p>
`
}<textarea id="${id}" name="${name}" rows="3" autocomplete="off"${describedBy(id, hint, errors[name])}>
${single(typed[name]) ?? field.value ?? ""}</textarea>
${fieldError(id, errors[name])}</div>
`;
}

/** A field of a form that takes one of a few choices. */
export interface SelectField {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  /** The initial choice. Default: the first. */
  readonly value?: string;
  readonly idPrefix?: string;
}

/** A labelled choice; see {@link textField}. */
export function selectField(field: SelectField, { typed, errors }: FormState): Html {
  const { name, label, hint, options } = field;
  const id = fieldId(field);
  const chosen = single(typed[name]) ?? field.value;
  const list = options.map(
    (option) =>
      html`<option value="${option.value}"${option.value === chosen && html` selected`}>${option.label}</option>
`,
  );
  return html`<div class="field">
<label for="${id}">${label}</label>
${
  hint &&
  html`<p class="hint" id="${id}-hint">${hint}</p>
`
}<select id="${id}" name="${name}"${describedBy(id, hint, errors[name])}>
${list}</select>
${fieldError(id, errors[name])}</div>
`;
}

/** A checkbox, or one of several with the same name. */
export interface CheckField {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  /** Sent when it is ticked. Default `on`. */
  readonly value?: string;
  /** Whether it is initially ticked. Default no. */
  readonly checked?: boolean;
  readonly idPrefix?: string;
}

/** A checkbox followed by its label. The group around it shows its error, if any. */
export function checkField(field: CheckField, { typed, errors }: FormState): Html {
  const { name, label, hint, value = "on", checked = false } = field;
  const id = `${fieldId(field)}-${value}`;
  const touched = Object.keys(typed).length > 0 || Object.keys(errors).length > 0;
  const ticked = touched ? [typed[name]].flat().includes(value) : checked;
  return html`<div class="check">
<input id="${id}" type="checkbox" name="${name}" value="${value}"${ticked && html` checked`}${hint && html` aria-describedby="${id}-hint"`}>
<label for="${id}">${label}</label>
${
  hint &&
  html`<p class="hint" id="${id}-hint">${hint}</p>
`
}</div>
`;
}

/** The error of the form as a whole; empty if there is none. */
export function formError({ errors }: FormState): Html {
  return html`${
    errors[""] &&
    html`<p class="flash wrong" role="alert">${errors[""]}</p>
`
  }`;
}

/** The error message of a field, with the id that the field refers to. */
export function fieldError(id: string, message: string | undefined): Html {
  return html`${
    message &&
    html`<p class="error" id="${id}-error">${message}</p>
`
  }`;
}

function describedBy(id: string, hint: string | undefined, error: string | undefined): Html {
  const ids = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ");
  return html`${ids !== "" && html` aria-describedby="${ids}"`}${error && html` aria-invalid="true"`}`;
}

function fieldId({ name, idPrefix }: { name: string; idPrefix?: string | undefined }): string {
  return `${idPrefix ? `${idPrefix}-` : ""}${name}`;
}

/** The first value of fields with the same name. */
function single(value: Typed[string]): string | undefined {
  return typeof value === "object" ? value[0] : value;
}

/** What was typed into a field, or nothing. */
type TypedValue = Typed[string];

/** A field of a form: its name in error messages, and how its text is parsed. */
export interface FieldReading {
  /** Absent if the schema's messages are whole sentences. */
  readonly label?: string;
  /** Default: {@link asText}. */
  readonly read?: (typed: TypedValue) => unknown;
}

/** The fields of a form, by their names. */
export type Fields = Readonly<Record<string, FieldReading>>;

/**
 * Validates typed text by a schema of the owner's side, so that pages and commands have the same rules.
 * Each fault becomes a sentence about its field: "Lifetime in days must be a whole number …".
 */
export function checkTyped<Schema extends z.ZodType>(
  typed: Typed,
  schema: Schema,
  fields: Fields,
): FormResult<z.output<Schema>> {
  const checked = check(
    schema,
    Object.fromEntries(
      Object.entries(fields).map(([name, { read = asText }]) => [name, read(typed[name])]),
    ),
  );
  if (checked.ok) return checked;
  const errors: Record<string, string> = {};
  for (const fault of checked.faults) {
    const [, name = ""] = /^(\w*)/.exec(fault.path) ?? [];
    errors[name] ??= sentence(fields[name] ?? { label: name }, fault);
  }
  return { ok: false, state: { typed, errors } };
}

/** For a field with several values, the sentence names the position: "Addresses, number 2, must be …". */
function sentence({ label }: FieldReading, { path, message }: Fault): string {
  if (label === undefined) return message;
  const place = /\[(\d+)\]/.exec(path)?.[1];
  return `${label}${place === undefined ? "" : `, number ${Number(place) + 1},`} ${message}.`;
}

/** Trimmed text; undefined for an empty field. */
function asText(typed: TypedValue): string | undefined {
  return oneOf(typed).trim() || undefined;
}

/** Trimmed text; null for an empty field. */
export function asTextOrNull(typed: TypedValue): string | null {
  return asText(typed) ?? null;
}

/** A number; NaN, which no schema accepts, for text that is not a number. */
export function asNumber(typed: TypedValue): number | undefined {
  const text = asText(typed);
  if (text === undefined) return undefined;
  return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}

/** A number; null for an empty field. */
export function asNumberOrNull(typed: TypedValue): number | null {
  return asNumber(typed) ?? null;
}

/** All ticked values. */
export function asList(typed: TypedValue): readonly string[] {
  return typed === undefined ? [] : [typed].flat();
}

/** Words separated by spaces, commas or line ends. */
export function asWords(typed: TypedValue): readonly string[] {
  return oneOf(typed)
    .split(/[\s,;]+/)
    .filter((word) => word !== "");
}

/** Whether a single checkbox is ticked. */
export function asFlag(typed: TypedValue): boolean {
  return typed !== undefined;
}

function oneOf(typed: TypedValue): string {
  return (typeof typed === "object" ? typed[0] : typed) ?? "";
}

/**
 * The days in a URL's query, by these parameter names; null for a parameter that is absent. An invalid day
 * is reported under its label, as in a form, and never replaced by another day.
 */
export function readDays<Name extends string>(
  query: Typed,
  labels: Readonly<Record<Name, string>>,
): FormResult<Record<Name, string | null>> {
  const names = Object.keys(labels) as Name[];
  const fields = names.map((name) => [name, { label: labels[name], read: asTextOrNull }] as const);
  return checkTyped(query, z.record(z.enum(names), day.nullable()), Object.fromEntries(fields));
}
