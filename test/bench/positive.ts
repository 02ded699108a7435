import { InvalidArgumentError } from "commander";

/** Reads an option that takes a number above 0. */
export function positive(written: string): number {
  const number = Number(written);
  if (!(number > 0 && Number.isFinite(number))) {
    throw new InvalidArgumentError("It must be a number above 0.");
  }
  return number;
}
