import { id } from "@queue-api/contract";

/** The id that an address or a form gives for a key, or null where it gives none. */
export function askedId(given: unknown): string | null {
  return id.safeParse(given).data ?? null;
}
