/** Returns the problem of an option's value; null if the value is valid. Never includes the value. */
type Check = (value: unknown) => string | null;

export type Checks<Options> = { readonly [Name in keyof Options]-?: Check };

/**
 * Refuses unknown options and invalid values at the call. Plain JavaScript has no compiler to find them, and
 * the mistake would show later, or make a test pass without proving anything.
 *
 * @throws RangeError
 */
export function checkOptions(given: unknown, checks: Readonly<Record<string, Check>>): void {
  if (!isObject(given)) throw new RangeError("the options must be an object");
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(checks, name)) {
      throw new RangeError(
        `no such option: ${name}; the options are ${Object.keys(checks).join(", ")}`,
      );
    }
    checkValue(name, value, checks[name] ?? anything);
  }
}

export function checkValue(name: string, value: unknown, check: Check): void {
  const message = check(value);
  if (message !== null) throw new RangeError(`${name} ${message}`);
}

/** The fields of an object, as they are given. Refuses what is no object. */
export function fieldsIn<Fields>(given: Fields): Fields {
  checkValue("the fields", given, (value) => (isObject(value) ? null : "must be an object"));
  return given;
}

export function checkItems(given: unknown): void {
  checkValue("the items", given, (value) => (Array.isArray(value) ? null : "must be a list"));
}

/** Accepts every value, for an option that is checked where it is used. */
export const anything: Check = () => null;

export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function orNull(check: Check): Check {
  return (value) => (value === null ? null : check(value));
}

export function ofType(type: "boolean" | "function" | "string"): Check {
  return (value) => (typeof value === type ? null : `must be a ${type}`);
}

export function oneOf(words: readonly string[]): Check {
  return (value) =>
    (words as readonly unknown[]).includes(value) ? null : `must be one of ${words.join(", ")}`;
}

export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): Check {
  const range = most < Number.MAX_SAFE_INTEGER ? `from ${least} to ${most}` : `not below ${least}`;
  return (value) => {
    const fits = Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most;
    return fits ? null : `must be a whole number ${range}`;
  };
}
