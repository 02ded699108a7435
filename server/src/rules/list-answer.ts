/** A page of a list; `more` is true if another page follows. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly more: boolean;
}

/**
 * The response body of a list. The cursor is the id of the last item of the page, or null on the last page.
 */
export function listAnswer<Item, Answer extends { id: string }>(
  page: Page<Item>,
  shape: (item: Item) => Answer,
) {
  const data = page.items.map(shape);
  return { data, nextCursor: page.more ? (data.at(-1)?.id ?? null) : null };
}

/** The response body of a list as it is sent: JSON in UTF-8. */
export function encodedListAnswer<Item, Answer extends { id: string }>(
  page: Page<Item>,
  shape: (item: Item) => Answer,
): Uint8Array {
  return Buffer.from(JSON.stringify(listAnswer(page, shape))); // faster than a TextEncoder
}
