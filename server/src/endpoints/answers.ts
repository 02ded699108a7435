import type { Response } from "express";
import { readReceipt } from "../rules/entry-answer.js";
import { invalidField } from "../rules/refusal.js";
import type { Page } from "../store/port/page.js";
import { serializedBody } from "./serialized-body.js";

/** A 200 with `{ data }`. */
export function ok<Data>(data: Data) {
  return { status: 200 as const, body: { data } };
}

/** The response to a creation. Its body is the receipt, so a replay equals the first response byte for byte. */
export function createdAnswer(
  res: Response,
  receipt: string,
  { baseUrl, replayed }: { readonly baseUrl: string; readonly replayed: boolean },
) {
  const body = readReceipt(receipt);
  res.setHeader("Location", `${baseUrl}/v1/entries/${body.data.id}`);
  if (replayed) res.setHeader("Idempotent-Replay", "true");
  return { status: 201 as const, body: serializedBody(body, receipt) };
}

/** A page of a list. Its cursor is the id of its last item; null on the last page. */
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
