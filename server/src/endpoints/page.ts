import { invalidField } from "../rules/refusal.js";
import type { Page } from "../store/port/page.js";

/** A page as the document shows it: the cursor is the id of its last item, null on the last page. */
export function pageAnswer<Item, Answer extends { id: string }>(
  page: Page<Item>,
  shape: (item: Item) => Answer,
) {
  const data = page.items.map(shape);
  const nextCursor = page.more ? (data.at(-1)?.id ?? null) : null;
  return { status: 200 as const, body: { data, nextCursor } };
}

export function unknownCursor() {
  return invalidField("cursor", "must be the nextCursor of an earlier page of this list");
}
