import { InvalidArgumentError } from "commander";

/** Reads an option that is a number above 0. */
export function positive(written: string): number {
  const number = Number(written);
  if (number > 0 && Number.isFinite(number)) return number;
  throw new InvalidArgumentError("It must be a number above 0.");
}

/** Reads an option that is an integer of at least 1. */
export function count(written: string): number {
  const number = Number(written);
  if (number > 0 && Number.isSafeInteger(number)) return number;
  throw new InvalidArgumentError("It must be a whole number from 1 on.");
}
