import type { Response } from "express";
import { type Created, readReceipt } from "../rules/entry-answer.js";
import { listAnswer, type Page } from "../rules/list-answer.js";
import { invalidField } from "../rules/refusal.js";
import { serializedBody } from "./serialized-body.js";

/** A 200 with `{ data }`. */
export function ok<Data>(data: Data) {
  return { status: 200 as const, body: { data } };
}

/**
 * The response to a creation. Its body is the receipt, so a replay equals the first response byte for byte.
 */
export function createdAnswer(
  res: Response,
  receipt: string,
  { baseUrl, replayed }: { readonly baseUrl: string; readonly replayed: boolean },
) {
  res.setHeader("Location", `${baseUrl}/v1/entries/${readReceipt(receipt).data.id}`);
  if (replayed) res.setHeader("Idempotent-Replay", "true");
  return { status: 201 as const, body: serializedBody<Created>(receipt) };
}

/** A page of a list. */
export function pageAnswer<Item, Answer extends { id: string }>(
  page: Page<Item>,
  shape: (item: Item) => Answer,
) {
  return { status: 200 as const, body: listAnswer(page, shape) };
}

export function unknownCursor() {
  return invalidField("cursor", "must be the nextCursor of an earlier page of this list");
}
