import { id } from "@queue-api/contract";
import type { Response } from "express";
import { z } from "zod";
import { hostCookie } from "./host-cookie.js";

const cookie = hostCookie("queue_api_flash", { sameSite: "strict", maxAge: 60_000 });

/** A browser drops a cookie beyond 4,096 bytes, and a character takes up to 9 of them. */
const maxTextLength = 300;

const flashSchema = z.strictObject({
  kind: z.enum(["done", "warning", "failed"]),
  text: z.string().min(1).max(maxTextLength),
  /** The undo that the message offers: the form's path and its button. Absent: it offers none. */
  undo: z
    .strictObject({
      to: z.string().regex(/^\/(board(\?day=[\d-]{10})?|appointments\/[a-zA-Z0-9]{1,32}\/status)$/),
      name: z.string().regex(/^[a-z]{1,10}$/),
      value: z.string().max(50),
    })
    .exactOptional(),
  /** The id of the entry or the appointment that the text begins with. The message names its customer. */
  entryId: id.exactOptional(),
  appointmentId: id.exactOptional(),
  /** Whether the message offers to print the token of that entry. Default no. */
  isPrintable: z.literal(true).exactOptional(),
});

/** A message about what happened, shown once on the next page. */
export type Flash = Readonly<z.output<typeof flashSchema>>;

/**
 * Leaves a message for the next page. It is a cookie, so it holds no secret and no customer's name, and a text with long
 * names is cut.
 */
export function leaveFlash(res: Response, flash: Flash): void {
  cookie.set(res, JSON.stringify({ ...flash, text: cut(flash.text) }));
}

function cut(text: string): string {
  if (text.length <= maxTextLength) return text;
  return `${text.slice(0, maxTextLength - 1).replace(/\p{Cs}$/u, "")}…`; // no half of a character
}

/** Leaves a message for the next page, unless another one already waits for it. */
export function leaveFlashIfNone(res: Response, flash: Flash): void {
  if (cookie.read(res) === null) leaveFlash(res, flash);
}

/** Takes and removes the message that was left for this page; null if there is none. */
export function takeFlash(res: Response): Flash | null {
  const left = cookie.read(res);
  if (left === null) return null;
  cookie.clear(res);
  try {
    return flashSchema.safeParse(JSON.parse(left)).data ?? null;
  } catch {
    return null; // not a cookie that this module wrote
  }
}
