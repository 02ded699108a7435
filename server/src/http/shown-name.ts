import { holdsKey } from "../rules/key.js";

const longestName = 64;

/** A name the caller made up, as an error may repeat it: cut short, and never one that holds a key. */
export function shownName(name: string): string {
  if (holdsKey(name)) return "(an API key)";
  return name.length > longestName ? `${name.slice(0, longestName)}…` : name;
}
