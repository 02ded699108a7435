import type { Request, Response } from "express";
import type { z } from "zod";
import { type Html, html } from "../lib/html.js";
import { readWholeNumber } from "../lib/whole-number.js";
import { check as checkValue, type ValidationIssue } from "../owner/validation-issues.js";
import { formToken } from "./accounts/form-token.js";
import { maxValueLength } from "./max-value-length.js";
import { dashboardPath } from "./request.js";

/** What was typed into a field, or nothing. Several values of one name are a list. */
type TypedValue = string | readonly string[] | undefined;

/** The typed values of a form, by field name. */
export type Typed = Readonly<Record<string, TypedValue>>;

/** A form as shown: the typed values and the errors, by field. */
export interface FormState {
  readonly typed: Typed;
  /** One message per field. The empty name holds the error of the whole form. */
  readonly errors: Readonly<Record<string, string>>;
}

/** An empty form without errors. */
export const untouchedForm: FormState = { typed: {}, errors: {} };

export type FormResult<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly state: FormState };

/** Reads a posted form by a schema and by its field definitions; see {@link checkTyped}. */
export function readForm<Schema extends z.ZodType>(
  req: Pick<Request, "body">,
  schema: Schema,
  fields?: Fields,
): FormResult<z.output<Schema>> {
  return checkTyped({ ...req.body }, schema, fields);
}

/** The posted form with an error that was found later, such as an e-mail address that is taken. */
export function withError(req: Pick<Request, "body">, field: string, message: string): FormState {
  return { typed: { ...req.body }, errors: { [field]: message } };
}

/** What all fields of a form have. */
interface Field {
  readonly name: string;
  /** Default: the label in the definition of the field. */
  readonly label?: string;
  /** A line that helps to fill it in. */
  readonly hint?: string;
  /** The initial value. Default: none, and for a choice the first option. */
  readonly value?: string | number | null | undefined;
}

interface TextField extends Field {
  /** Default `text`. The value of a password field is never shown again. */
  readonly type?: "text" | "tel" | "email" | "password" | "number" | "time" | "date";
  /** The HTML `autocomplete` value, such as `current-password`. Default `off`. */
  readonly autocomplete?: string;
  /** Of a text. Default: what the server reads, so that a text that is too long is refused at its field. */
  readonly maxLength?: number;
  /** Further attributes. */
  readonly attributes?: Html;
}

interface SelectField extends Field {
  readonly options: readonly Option[];
}

/** A choice of a select field. */
export interface Option {
  readonly value: string;
  readonly label: string;
}

interface CheckField extends Omit<Field, "value"> {
  /** Sent when it is ticked. Default `on`. */
  readonly value?: string;
  /** Whether it is initially ticked. Default no. */
  readonly checked?: boolean;
}

/**
 * Makes the fields of a form in its current state. Each has a label, a hint and an error, which assistive
 * software reads together with it. `fields`: definitions with the labels. `idPrefix` keeps the ids of
 * several forms on a page distinct. Default: none.
 */
export function inputs({ typed, errors }: FormState, fields: Fields = {}, idPrefix = "") {
  const idOf = (name: string) => `${idPrefix && `${idPrefix}-`}${name}`;
  const labelOf = ({ name, label }: Pick<Field, "name" | "label">) =>
    label ?? fields[name]?.label ?? "";
  const currentValue = ({ name, value }: Field) => single(typed[name]) ?? `${value ?? ""}`;

  function labelled(field: Field, input: (attributes: Html) => Html): Html {
    const { name, hint } = field;
    const [id, error] = [idOf(name), errors[name]];
    const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ");
    const attributes = html`id="${id}" name="${name}"${
      described !== "" && html` aria-describedby="${described}"`
    }${error && html` aria-invalid="true"`}`;
    return html`<div class="field">
<label for="${id}">${labelOf(field)}</label>
${hintOf(id, hint)}${input(attributes)}
${fieldError(id, error)}</div>
`;
  }

  return {
    text(field: TextField): Html {
      const { type = "text", autocomplete = "off", attributes: more } = field;
      const current = type === "password" ? "" : currentValue(field);
      const isBounded = type === "text" || type === "tel" || type === "email";
      const length = isBounded && html` maxlength="${field.maxLength ?? maxValueLength}"`;
      return labelled(
        field,
        (attributes) =>
          html`<input ${attributes} type="${type}" value="${current}" autocomplete="${autocomplete}"${length}${more && html` ${more}`}>`,
      );
    },

    /** A field of several lines. */
    area(field: Field): Html {
      // A browser drops the first line end after the tag, so the tag is followed by one.
      return labelled(
        field,
        (attributes) => html`<textarea ${attributes} rows="3" autocomplete="off">
${currentValue(field)}</textarea>`,
      );
    },

    /** A choice of one. */
    select(field: SelectField): Html {
      const chosen = currentValue(field);
      const options = field.options.map(
        ({ value, label }) =>
          html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>
`,
      );
      return labelled(
        field,
        (attributes) => html`<select ${attributes}>
${options}</select>`,
      );
    },

    /** A checkbox, or one of several with the same name, whose group shows the error. */
    check(field: CheckField): Html {
      const { name, hint, value = "on", checked = false } = field;
      const id = `${idOf(name)}-${value}`;
      const touched = Object.keys(typed).length > 0 || Object.keys(errors).length > 0;
      const ticked = touched ? [typed[name]].flat().includes(value) : checked;
      return html`<div class="check">
<input id="${id}" type="checkbox" name="${name}" value="${value}"${ticked && html` checked`}${hint && html` aria-describedby="${id}-hint"`}>
<label for="${id}">${labelOf(field)}</label>
${hintOf(id, hint)}</div>
`;
    },
  };
}

function hintOf(id: string, hint: string | undefined): Html {
  return html`${hint && html`<p class="hint" id="${id}-hint">${hint}</p>\n`}`;
}

/** The error message of a field, with the id that the field refers to. */
export function fieldError(id: string, message: string | undefined): Html {
  return html`${message && html`<p class="error" id="${id}-error">${message}</p>\n`}`;
}

/** The error of the form as a whole; empty if there is none. */
export function formError({ errors }: FormState): Html {
  return html`${errors[""] && html`<p class="flash failed" role="alert">${errors[""]}</p>\n`}`;
}

/** A form of the owner's pages. Paths are relative to the dashboard. */
interface FormCard {
  readonly action: string;
  /** Where the form is shown, if not at its action: the script restores what was typed there. */
  readonly page?: string | false;
  readonly title?: string;
  /** What stands above the fields. */
  readonly text?: Html;
  readonly state: FormState;
  readonly fields: readonly Html[];
  /** The label of the button that sends it. */
  readonly submit: string;
  /** The way out: where it leads, and its label. Default: none. */
  readonly back?: readonly [path: string, label: string];
  /** Further actions after the button. */
  readonly more?: Html | false | null | undefined;
}

/** A card with a form that is sent with the token of the session. */
export function formCard(res: Response, card: FormCard): Html {
  const { action, page, title, text, state, fields, submit, back, more } = card;
  const shownAt = page && html` data-page="${dashboardPath(res, page)}"`;
  return html`<form class="card" method="post" action="${dashboardPath(res, action)}"${shownAt}>
${title && html`<h2>${title}</h2>\n`}${text}${formToken(res)}${formError(state)}${fields}<div class="actions"><button class="primary">${submit}</button>${
    back && html`<a class="button quiet" href="${dashboardPath(res, back[0])}">${back[1]}</a>`
  }${more}</div>
</form>
`;
}

/** The id of the record that a form makes: sending the form twice makes one record. */
export function idField(formId: string): Html {
  return html`<input type="hidden" name="id" value="${formId}">`;
}

/** Fields in one row, where there is room. */
export function inRow(...fields: Html[]): Html {
  return html`<div class="fields">
${fields}</div>
`;
}

/** The first value of fields with the same name. */
function single(typed: TypedValue): string | undefined {
  return typeof typed === "object" ? typed[0] : typed;
}

/** A field of a form: its name in error messages, and how its text is parsed. */
export interface FieldReading {
  readonly label: string;
  /** Default: {@link asText}. */
  readonly read?: (typed: TypedValue) => unknown;
}

/** The fields of a form, by their names. */
export type Fields = Readonly<Record<string, FieldReading>>;

/**
 * Validates typed text by a schema of the owner's side, so that pages and commands have the same rules.
 * Each issue becomes a sentence about its field: "Lifetime in days must be a whole number …". Without definitions, each
 * field is read as typed, "" if left empty, and the schema's messages are whole sentences such as "Enter a name.".
 */
export function checkTyped<Schema extends z.ZodType>(
  typed: Typed,
  schema: Schema,
  fields?: Fields,
): FormResult<z.output<Schema>> {
  const values = fields
    ? Object.entries(fields).map(([name, { read = asText }]) => [name, read(typed[name])])
    : Object.entries(typed).map(([name, value]) => [name, single(value)]);
  const checked = checkValue(schema, Object.fromEntries(values));
  if (checked.ok) return checked;
  const errors: Record<string, string> = {};
  for (const issue of checked.issues) {
    const [, name = ""] = /^(\w*)/.exec(issue.path) ?? [];
    errors[name] ??= fields ? sentence(fields[name]?.label ?? name, issue) : issue.message;
  }
  return { ok: false, state: { typed, errors } };
}

/** For a field with several values, the sentence names the position: "Addresses, number 2, must be …". */
function sentence(label: string, { path, message }: ValidationIssue): string {
  const place = /\[(\d+)\]/.exec(path)?.[1];
  return `${label}${place === undefined ? "" : `, number ${Number(place) + 1},`} ${message}.`;
}

/** Trimmed text; undefined for an empty field. */
function asText(typed: TypedValue): string | undefined {
  return single(typed)?.trim() || undefined;
}

/** Trimmed text in capital letters. */
export function asCapitals(typed: TypedValue): string | undefined {
  return asText(typed)?.toUpperCase();
}

/** Trimmed text; null for an empty field. */
export function asTextOrNull(typed: TypedValue): string | null {
  return asText(typed) ?? null;
}

/** A number; NaN, which no schema accepts, for text that is not a number. */
export function asNumber(typed: TypedValue): number | undefined {
  const text = asText(typed);
  return text === undefined ? undefined : readWholeNumber(text);
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
  return (
    asText(typed)
      ?.split(/[\s,;]+/)
      .filter((word) => word !== "") ?? []
  );
}

/** Whether a single checkbox is ticked. */
export function asFlag(typed: TypedValue): boolean {
  return typed !== undefined;
}
