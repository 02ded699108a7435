import type { Response } from "express";
import { entryWithPosition } from "../rules/entry-answer.js";
import type { Page } from "../rules/list.js";
import type { Receipt } from "../rules/records.js";
import { invalidField } from "../rules/refusal.js";

/** A 200 with `{ data }`. */
export function ok<Data>(data: Data) {
  return { status: 200 as const, body: { data } };
}

/** The response to a creation. It is made of the receipt, so a replay equals the first response byte for byte. */
export function createdAnswer(res: Response, receipt: Receipt, replayed: boolean) {
  if (receipt.location !== null) res.setHeader("Location", receipt.location);
  if (replayed) res.setHeader("Idempotent-Replay", "true");
  return { status: 201 as const, body: { data: entryWithPosition(receipt) } };
}

/** A page of a list. */
export function pageAnswer<Item, Answer>(
  { items, nextCursor }: Page<Item>,
  shape: (item: Item) => Answer,
) {
  return { status: 200 as const, body: { data: items.map(shape), nextCursor } };
}

export function unknownCursor() {
  return invalidField("cursor", "must be the nextCursor of an earlier page of this list");
}
