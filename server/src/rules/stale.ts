/** A change was decided on an earlier revision of its record: someone else has changed it since. Nothing was changed. */
export class StaleError extends Error {
  override readonly name = "StaleError";

  constructor() {
    super("the record was changed by someone else in the meantime");
  }
}

/**
 * Throws {@link StaleError} if a record has another revision than the one that a change was decided on (null: any), unless
 * it has the values of the change already: the same form was sent twice.
 */
export function assertSeen(
  item: { readonly revision: number },
  change: object,
  seen: number | null,
): void {
  if (seen !== null && item.revision !== seen && !hasValues(item, change)) throw new StaleError();
}

/** Whether a record has all of these values. */
export function hasValues(record: object, values: object): boolean {
  const now: Readonly<Record<string, unknown>> = { ...record };
  return Object.entries(values).every(
    ([field, value]) => JSON.stringify(now[field]) === JSON.stringify(value),
  );
}
