import { z } from "zod";

/** A wrong field of the input: its path and the reason. Never contains its value. */
export interface ValidationIssue {
  /** For example `businesses[0].queues[1].name`; empty for the whole value. */
  readonly path: string;
  readonly message: string;
}

/** The parsed value, or every issue of the input. */
export type Checked<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly issues: readonly ValidationIssue[] };

/** Checks a value against a schema and reports every issue, not only the first. */
export function check<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): Checked<z.output<Schema>> {
  const result = schema.safeParse(value, { error: messageOf });
  if (result.success) return { ok: true, value: result.data };
  return { ok: false, issues: result.error.issues.flatMap(issuesOf) };
}

/** Issues as one line: the first hundred, and the number of further ones. */
export function issueLine(issues: readonly ValidationIssue[]): string {
  const shown = issues.slice(0, 100).map(({ path, message }) => `${path || "it"} ${message}`);
  const more = issues.length - shown.length;
  return shown.concat(more > 0 ? [`and ${more} more`] : []).join("; ");
}

/** Zod reports all unknown fields of an object as one issue. Each becomes an issue with its own path. */
function issuesOf(issue: z.core.$ZodIssue): ValidationIssue[] {
  if (issue.code !== "unrecognized_keys") {
    return [{ path: z.core.toDotPath(issue.path), message: issue.message }];
  }
  return issue.keys.map((key) => ({
    path: z.core.toDotPath([...issue.path, key]),
    message: "is not a known field",
  }));
}

const kinds: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
};

/** The messages for issues that a schema does not describe itself. */
function messageOf(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === "invalid_type") {
    if (issue.input === undefined) return "is required";
    return `must be ${kinds[issue.expected] ?? issue.expected}`;
  }
  if (issue.code === "invalid_value") return `must be one of ${issue.values.join(", ")}`;
  return undefined;
}
