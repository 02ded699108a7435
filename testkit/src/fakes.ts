import * as contract from "@queue-api/contract";
import { check, issueLine } from "../../server/src/in-process.js";
import type {
  Appointment,
  Entry,
  EntryWithPosition,
  Me,
  Queue,
  QueueSummary,
  Service,
} from "./api.js";
import { fieldsIn, isObject } from "./check-options.js";
import { fakeFailure, fakeIteration, fakeList, fakePromise } from "./fake-calls.js";

/** Some of the fields of an object, recursively. */
export type Changes<Value> = {
  readonly [Field in keyof Value]?:
    | (Value[Field] extends readonly unknown[]
        ? Readonly<Value[Field]>
        : Value[Field] extends object
          ? Changes<Value[Field]>
          : Value[Field])
    | undefined;
};

/**
 * Valid objects of the API, and what the methods of the SDK return, for tests without the service, as in
 * `vi.spyOn(api.entries, "get").mockReturnValue(fakes.promise(fakes.entryWithPosition({ position: 1 })))`. Give the
 * fields that matter to the test. The others are consistent with them: a `CANCELED` entry has a `canceledAt` and no
 * position, an entry with a `startedAt` is `IN_SERVICE`, and an entry with `tokenNumber: 7` has the token `A7`. A status
 * may be a word that the API does not have yet. Each throws RangeError for an unknown field or option, and for an invalid
 * value.
 */
export const fakes = {
  entry: faker<Entry>(contract.entry, courseOf),
  entryWithPosition: faker<EntryWithPosition>(contract.entryWithPosition, (fields) => ({
    ...courseOf(fields),
    ...(statusOf(fields) !== "WAITING" && { position: null }),
  })),
  queue: faker<Queue>(contract.queue),
  queueSummary: faker<QueueSummary>(contract.queueSummary, ({ counts }) =>
    counts?.waiting === 0 ? { averageWaitMinutes: null } : {},
  ),
  service: faker<Service>(contract.service),
  appointment: faker<Appointment>(contract.appointment),
  me: faker<Me>(contract.me),
  /** A call that succeeds with these data. */
  promise: fakePromise,
  /**
   * A call, a list or a watch that fails with this error, as in
   * `fakes.failure(new NotFoundError("no such queue", { status: 404 }))`. TypeScript infers `Call`, the SDK's own type, from
   * the method for which it is a fake.
   */
  failure: fakeFailure,
  /**
   * A list of these items. `pageSize`: the number of items on a page. Default: all on one page. TypeScript infers
   * `List`, the SDK's own class, from the method for which it is a fake: a class with private fields has no other type.
   */
  list: fakeList,
  /** A watch that reports these changes and ends. */
  watch: fakeIteration,
};

type Schema<Value> = Parameters<typeof check>[0] & { readonly _output: Value };

/** Makes the contract's example with some fields. `implied` gives the fields that follow from them. */
function faker<Value extends object>(
  schema: Schema<Value>,
  implied: (fields: Changes<Value>) => object = () => ({}),
) {
  return (fields: Changes<Value> = {}): Value => {
    const { examples } = schema.meta() as { readonly examples: readonly [Value] };
    const made = merged(merged(structuredClone(examples[0]), implied(fieldsIn(fields))), fields);
    const checked = check(schema, made);
    const faults = checked.ok ? [] : checked.issues.filter(({ path }) => !isNewWord(made, path));
    if (faults.length > 0) throw new RangeError(issueLine(faults));
    return made;
  };
}

/** Whether the value at a path is a word that the API may add later. Callers must accept such a word. */
function isNewWord(made: unknown, path: string): boolean {
  if (!/^(status|key\.scopes\[\d+\])$/.test(path)) return false;
  const steps = path.match(/\w+/g) ?? [];
  return typeof steps.reduce((value, step) => Object(value)[step], made) === "string";
}

function merged<Value extends object>(base: Value, fields: object): Value {
  const result = { ...base } as Record<string, unknown>;
  for (const [field, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(result, field)) {
      const known = Object.keys(base).join(", ");
      throw new RangeError(`no such field: ${field}; the fields are ${known}`);
    }
    const old = result[field];
    result[field] = isObject(old) && isObject(value) ? merged(old, value) : value;
  }
  return result as Value;
}

/** The status of an entry: the given one, or that which its times show. */
function statusOf({ status, startedAt, completedAt, canceledAt }: Changes<Entry>): Entry["status"] {
  if (status !== undefined) return status;
  if (canceledAt) return "CANCELED";
  if (completedAt) return "COMPLETED";
  return startedAt ? "IN_SERVICE" : "WAITING";
}

/** The fields of an entry that follow from its status, its token and its times. */
function courseOf(fields: Changes<Entry>): Partial<Entry> {
  const status = statusOf(fields);
  const { waiting } = contract.entryExamples;
  const [, series = waiting.tokenSeries, number = waiting.tokenNumber] =
    /^(\D*)(\d+)$/.exec(fields.token ?? "") ?? [];
  const { tokenSeries = series, tokenNumber = Number(number) } = fields;
  const known = fields.startedAt ?? fields.completedAt ?? fields.canceledAt;
  const { issuedAt = known ? minutesAfter(known, -20) : waiting.issuedAt } = fields;
  const startedAt = fields.startedAt ?? minutesAfter(issuedAt, fields.completedAt ? 0 : 20);
  return {
    status,
    token: `${tokenSeries}${tokenNumber}`,
    tokenSeries,
    tokenNumber,
    issuedAt,
    ...((status === "IN_SERVICE" || status === "COMPLETED") && { startedAt }),
    ...(status === "COMPLETED" && { completedAt: minutesAfter(startedAt, 15) }),
    ...(status === "CANCELED" && { canceledAt: minutesAfter(issuedAt, 10) }),
    ...(status !== "WAITING" && { predictedWaitMinutes: null }),
  };
}

/** A time as text. After one that is not valid, and is refused later, the start of time. */
function minutesAfter(time: string, minutes: number): string {
  return new Date((Date.parse(time) || 0) + minutes * 60_000).toISOString();
}
