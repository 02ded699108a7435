import type { Response } from "express";
import { readReceipt } from "../rules/entry-answer.js";
import { serializedBody } from "./serialized-body.js";

/** A creation's answer, sent from its receipt, so that a replay has the first answer's body to the byte. */
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
