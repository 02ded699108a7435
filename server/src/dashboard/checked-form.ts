import type { z } from "zod";
import { check, type Fault } from "../owner/faults.js";
import type { FormResult, Typed } from "./forms.js";

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
