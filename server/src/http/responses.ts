import { type ErrorDetail, type ErrorResponse, errorDocUrl, errors } from "@queue-api/contract";
import type { Response } from "express";
import type { ApiError } from "../rules/api-error.js";
import type { Page } from "../rules/list.js";
import type { Receipt } from "../rules/records.js";
import { entryWithPosition } from "../rules/resources.js";

/** A 200 with `{ data }`. */
export function ok<Data>(data: Data) {
  return { status: 200 as const, body: { data } };
}

/** A 200 with a page of a list. */
export function listed<Item, Resource>(
  { items, nextCursor }: Page<Item>,
  shape: (item: Item) => Resource,
) {
  return { status: 200 as const, body: { data: items.map(shape), nextCursor } };
}

/** The 201 of a creation. A replay has the same body and `Location` as the first response. */
export function created(res: Response, receipt: Receipt, replayed: boolean) {
  if (receipt.location !== null) res.setHeader("Location", receipt.location);
  if (replayed) res.setHeader("Idempotent-Replay", "true");
  return { status: 201 as const, body: { data: entryWithPosition(receipt) } };
}

/** The error envelope of the document. */
export function envelope(apiError: ApiError, requestId: string, docsUrl: string): ErrorResponse {
  const { code, extras } = apiError;
  return {
    error: {
      code,
      message: errors[code].message,
      requestId,
      docUrl: errorDocUrl(docsUrl, code),
      ...(extras.details && { details: bounded(extras.details) }),
      ...(extras.required && { required: [...extras.required] }),
    },
  };
}

/** The maximum number of fields that a response names. A request of 32 KB could have thousands of invalid fields. */
const maxDetails = 20;

function bounded(details: readonly ErrorDetail[]): ErrorDetail[] {
  if (details.length <= maxDetails) return [...details];
  const named = details.slice(0, maxDetails - 1);
  return [...named, { field: "…", message: `and ${details.length - named.length} more` }];
}
