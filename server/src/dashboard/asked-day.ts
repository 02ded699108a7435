import { day } from "@queue-api/contract";
import { z } from "zod";
import { asTextOrNull, checkTyped } from "./checked-form.js";
import type { FormResult, Typed } from "./forms.js";

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
