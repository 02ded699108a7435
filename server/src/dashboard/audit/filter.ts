import { day as dayForm, id } from "@queue-api/contract";
import { z } from "zod";
import { type AuditFilter, statusRange } from "../../rules/audit.js";
import { addDays, startOfDay } from "../../rules/business-day.js";
import type { Business } from "../../rules/records.js";
import { asTextOrNull, checkTyped, type FieldReading } from "../checked-form.js";
import type { FormResult, Typed } from "../forms.js";

/** The query parameters that select rows. All are optional. */
const asked = z.object({
  key: id.nullable(),
  status: z
    .string()
    .refine(
      (named) => statusRange(named) !== null,
      "must be a status like 404, or a class like 4xx",
    )
    .nullable(),
  path: z.string().startsWith("/", "must begin with /").max(200, "is too long").nullable(),
  from: dayForm.nullable(),
  to: dayForm.nullable(),
});

export type AskedRows = z.output<typeof asked>;

const fields: Readonly<Record<keyof AskedRows, FieldReading>> = {
  key: { label: "Key or account", read: asTextOrNull },
  status: { label: "Status", read: asTextOrNull },
  path: { label: "Path", read: asTextOrNull },
  from: { label: "From", read: asTextOrNull },
  to: { label: "To", read: asTextOrNull },
};

/** Reads the query of the page's URL. */
export function readFilter(query: Typed): FormResult<AskedRows> {
  return checkTyped(query, asked, fields);
}

/** The filter of the requested rows, with days in the business's time zone. */
export function filterOf(
  { key, status, path, from, to }: AskedRows,
  business: Business,
): AuditFilter {
  const { timezone } = business;
  return {
    keyId: key,
    status: status === null ? null : statusRange(status),
    pathPrefix: path,
    from: from === null ? null : startOfDay(from, timezone),
    until: to === null ? null : startOfDay(addDays(to, 1), timezone),
  };
}

/** The same selection as a URL query; `more` adds parameters. */
export function queryOf(rows: AskedRows, more: Readonly<Record<string, string>> = {}): string {
  const given = Object.entries({ ...rows, ...more }).filter(
    (pair): pair is [string, string] => pair[1] !== null,
  );
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}
