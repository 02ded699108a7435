import { id } from "@queue-api/contract";

/** The key id in a URL or a form, or null if there is none. */
export function askedId(given: unknown): string | null {
  return id.safeParse(given).data ?? null;
}
