import type { EntryWithPosition } from "@queue-api/contract";
import type { Response } from "express";
import type { StoredAnswer } from "../rules/records.js";

/** A creation's answer, sent from what was stored, so that a replay is the first answer to the byte. */
export function storedAnswer(
  res: Response,
  answer: StoredAnswer,
  { replayed }: { replayed: boolean },
) {
  res.setHeader("Location", answer.location);
  if (replayed) res.setHeader("Idempotent-Replay", "true");
  return { status: 201 as const, body: JSON.parse(answer.body) as { data: EntryWithPosition } };
}
