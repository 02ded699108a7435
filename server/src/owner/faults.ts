import type { z } from "zod";

/** One wrong field of what was handed in: where it is and why. Never holds its value. */
export interface Fault {
  /** Such as `businesses[0].queues[1].name`; empty for the whole. */
  readonly path: string;
  readonly message: string;
}

/** What a schema made of a value, or everything that is wrong with it. */
export type Checked<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly faults: readonly Fault[] };

/** Checks a value against a schema, whole: every fault is told, not only the first. */
export function check<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): Checked<z.output<Schema>> {
  const result = schema.safeParse(value, { error: messageOf });
  if (result.success) return { ok: true, value: result.data };
  return { ok: false, faults: result.error.issues.flatMap(faultsOf) };
}

/** Faults as one line: the first hundred, and how many more there are. */
export function faultLine(faults: readonly Fault[]): string {
  const shown = faults.slice(0, 100).map(({ path, message }) => `${path || "it"} ${message}`);
  const more = faults.length - shown.length;
  return shown.concat(more > 0 ? [`and ${more} more`] : []).join("; ");
}

/** A path as a person writes it: `keys[0].scopes`, quoted where a name is not a plain word. */
export function writePath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((written, step) => {
    if (typeof step === "number") return `${written}[${step}]`;
    const name = String(step);
    if (!/^\w+$/.test(name)) return `${written}[${JSON.stringify(name)}]`;
    return written === "" ? name : `${written}.${name}`;
  }, "");
}

/** Unknown fields come together from zod; each is a fault at its own path. */
function faultsOf(issue: z.core.$ZodIssue): Fault[] {
  if (issue.code !== "unrecognized_keys") {
    return [{ path: writePath(issue.path), message: issue.message }];
  }
  return issue.keys.map((key) => ({
    path: writePath([...issue.path, key]),
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

/** Words for what a schema says nothing of itself. */
function messageOf(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === "invalid_type") {
    if (issue.input === undefined) return "is required";
    return `must be ${kinds[issue.expected] ?? issue.expected}`;
  }
  if (issue.code === "invalid_value") return `must be one of ${issue.values.join(", ")}`;
  return undefined;
}
