import { day } from "@queue-api/contract";
import { z } from "zod";
import { asTextOrNull, checkTyped } from "./checked-form.js";
import type { FormResult, Typed } from "./forms.js";

/**
 * The days that an address names, under these names; null where it names none. What is no day is told
 * under the label of its name, like what was typed into a form: it is never taken for another one.
 */
export function readDays<Name extends string>(
  query: Typed,
  labels: Readonly<Record<Name, string>>,
): FormResult<Record<Name, string | null>> {
  const names = Object.keys(labels) as Name[];
  const fields = names.map((name) => [name, { label: labels[name], read: asTextOrNull }] as const);
  return checkTyped(query, z.record(z.enum(names), day.nullable()), Object.fromEntries(fields));
}
