/** How deep an error is searched. */
const deepest = 4;

/**
 * A cause that is safe to hand on: the same object where it holds none of the secrets, otherwise a copy
 * of its name and message without them.
 */
export function redacted(cause: unknown, secrets: readonly string[]): unknown {
  if (!holdsAny(cause, secrets, deepest)) return cause;
  if (!(cause instanceof Error)) return undefined;
  const inner = cause.cause === undefined ? undefined : redacted(cause.cause, secrets);
  const copy = new Error(
    without(cause.message, secrets),
    inner === undefined ? {} : { cause: inner },
  );
  copy.name = without(cause.name, secrets);
  return copy;
}

function without(text: string, secrets: readonly string[]): string {
  return secrets.reduce((clean, secret) => clean.replaceAll(secret, "[hidden]"), text);
}

function holdsAny(value: unknown, secrets: readonly string[], depth: number): boolean {
  if (typeof value === "string") return secrets.some((secret) => value.includes(secret));
  if (typeof value !== "object" || value === null || depth === 0) return false;
  if (value instanceof Headers) return holdsAny([...value.values()], secrets, depth);
  if (value instanceof Request) return holdsAny(value.headers, secrets, depth);
  const parts = Object.getOwnPropertyNames(value).map(
    (name) => Object.getOwnPropertyDescriptor(value, name)?.value as unknown,
  );
  return parts.some((part) => holdsAny(part, secrets, depth - 1));
}
