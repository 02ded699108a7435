import { type Check, isObject } from "../problem.js";

/** A check for each option that something takes. */
export type Checks<Options> = { readonly [Name in keyof Options]-?: Check };

/**
 * Refuses options that there are not, and values that cannot be meant, where the handler is made: plain
 * JavaScript has no compiler to do it, and a handler that fails at a request looks like a failing service.
 *
 * @throws RangeError
 */
export function checkOptions(given: unknown, checks: Readonly<Record<string, Check>>): void {
  if (given === undefined) return;
  if (!isObject(given)) throw new RangeError("the options must be an object");
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(checks, name)) {
      throw new RangeError(
        `no such option: ${name}; the options are ${Object.keys(checks).join(", ")}`,
      );
    }
    const message = checks[name]?.(value) ?? null;
    if (message !== null) throw new RangeError(`${name} ${message}`);
  }
}

export const isSwitch: Check = (value) =>
  typeof value === "boolean" ? null : "must be true or false";

export const isList: Check = (value) => (Array.isArray(value) ? null : "must be a list");

export const isCursor: Check = (value) =>
  value === null || typeof value === "string" ? null : "must be a string or null";

export const isSeconds: Check = (value) =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? null : "must be a whole number not below 0";
