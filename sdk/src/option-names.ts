import type { CallOptions, CreateOptions, RequestOptions } from "./options.js";

/** The names of the options that something takes. */
export type OptionNames = ReadonlySet<string>;

/** Names every option of a type, which the compiler sees to, after those of `base`. */
export function optionNames<Options>(
  names: Readonly<Record<keyof Options, true>>,
  base: Iterable<string> = [],
): OptionNames {
  return new Set([...base, ...Object.keys(names)]);
}

/** What every method takes. */
export const callOptionNames = optionNames<CallOptions>({
  signal: true,
  timeoutMs: true,
  totalTimeoutMs: true,
  maxRetries: true,
  headers: true,
  extraQuery: true,
  extraBody: true,
});

/** What a creation takes. */
export const createOptionNames = optionNames<Omit<CreateOptions, keyof CallOptions>>(
  { idempotencyKey: true },
  callOptionNames,
);

/** What a request to any endpoint takes. */
export const requestOptionNames = optionNames<Omit<RequestOptions, keyof CallOptions>>(
  { query: true, body: true, idempotencyKey: true },
  callOptionNames,
);

/** What is said of an option that there is not: which one is meant, or which there are. */
export function unknownOption(name: string, known: OptionNames): string {
  const meant = [...known].find((one) => withoutStyle(one) === withoutStyle(name));
  return meant ? `is unknown (did you mean ${meant}?)` : `is unknown (known: ${listed(known)})`;
}

/** A name without what tells camelCase, snake_case and kebab-case apart. */
function withoutStyle(name: string): string {
  return name.replaceAll(/[^a-z0-9]/gi, "").toLowerCase();
}

function listed(names: OptionNames): string {
  return [...names].join(", ");
}
