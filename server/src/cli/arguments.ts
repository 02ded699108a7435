import { readWholeNumber } from "../lib/whole-number.js";
import { UsageError } from "./command-errors.js";

/** Parses an option's value as a whole number in a range. The error names the option, not the value. */
export function wholeNumberFor(option: string, min: number, max: number) {
  return (text: string): number => {
    const value = readWholeNumber(text);
    if (value >= min && value <= max) return value;
    throw new UsageError(`${option} must be a whole number from ${min} to ${max}`);
  };
}

/** Parses an option's value as one of the given words. */
export function wordFor<const Word extends string>(option: string, words: readonly Word[]) {
  return (text: string): Word => {
    const word = words.find((word) => word === text);
    if (word === undefined) throw new UsageError(`${option} must be one of ${words.join(", ")}`);
    return word;
  };
}

/** Checks that an option's value is not empty: an unset variable in a script must not select the default. */
export function nonEmptyFor(option: string) {
  return (text: string): string => {
    if (text.trim() !== "") return text;
    throw new UsageError(`${option} must not be empty`);
  };
}

/** Refuses a command that would change nothing: `given` has none of the options. */
export function requireOption(given: object, options: string): void {
  if (Object.keys(given).length === 0) throw new UsageError(`name at least one of ${options}`);
}

/** Parses an option's value as on or off. */
export function onOffFor(option: string) {
  const word = wordFor(option, ["on", "off"]);
  return (text: string): boolean => word(text) === "on";
}
