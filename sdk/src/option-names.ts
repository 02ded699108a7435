import type { CallOptions, CreateOptions, RequestOptions } from "./options.js";

/** The names of the accepted options. */
export type OptionNames = ReadonlySet<string>;

/** The option names of a type, after those of `base`. The compiler checks that none is missing. */
export function optionNames<Options>(
  names: Readonly<Record<keyof Options, true>>,
  base: Iterable<string> = [],
): OptionNames {
  return new Set([...base, ...Object.keys(names)]);
}

/** The options of every method. */
export const callOptionNames = optionNames<CallOptions>({
  signal: true,
  timeoutMs: true,
  totalTimeoutMs: true,
  maxRetries: true,
  headers: true,
  extraQuery: true,
  extraBody: true,
});

/** The options of a creation. */
export const createOptionNames = optionNames<Omit<CreateOptions, keyof CallOptions>>(
  { idempotencyKey: true },
  callOptionNames,
);

/** The options of a request to any endpoint. */
export const requestOptionNames = optionNames<Omit<RequestOptions, keyof CallOptions>>(
  { query: true, body: true, idempotencyKey: true },
  callOptionNames,
);

/** The message for an unknown option: suggests the similar one, or lists the known ones. */
export function unknownOption(name: string, known: OptionNames): string {
  const meant = [...known].find((one) => withoutStyle(one) === withoutStyle(name));
  return meant ? `is unknown (did you mean ${meant}?)` : `is unknown (known: ${listed(known)})`;
}

/** A normalized name: equal for camelCase, snake_case and kebab-case. */
function withoutStyle(name: string): string {
  return name.replaceAll(/[^a-z0-9]/gi, "").toLowerCase();
}

function listed(names: OptionNames): string {
  return [...names].join(", ");
}
