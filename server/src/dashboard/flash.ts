import type { Request, Response } from "express";
import { z } from "zod";
import { HostCookie } from "./host-cookie.js";
import { at } from "./root.js";

/** What happened, told once on the next page. */
export interface Flash {
  readonly kind: "done" | "kindly" | "wrong";
  readonly text: string;
  /** Whom the message offers to put back, as an act of the board names them. Absent: it offers nothing. */
  readonly undo?: string;
}

const cookie = new HostCookie("queue_api_flash", { sameSite: "strict", maxAge: 60_000 });

const flash = z.strictObject({
  kind: z.enum(["done", "kindly", "wrong"]),
  text: z.string().min(1).max(300),
  undo: z.string().max(50).exactOptional(),
});

/** Leaves a message for the next page. It travels in a cookie, so it holds no secret and no customer's name. */
export function leaveFlash(req: Request, res: Response, said: Flash): void {
  cookie.set(req, res, JSON.stringify(said));
}

/** Ends a form that did what it was for: says so on the page that comes next. */
export function done(req: Request, res: Response, text: string, next: string): void {
  leaveFlash(req, res, { kind: "done", text });
  res.redirect(303, at(res, next));
}

/** The message that was left for this page, which is then gone; null when there is none. */
export function takeFlash(req: Request, res: Response): Flash | null {
  const left = cookie.read(req, res);
  if (left === null) return null;
  cookie.clear(req, res);
  try {
    return flash.safeParse(JSON.parse(left)).data ?? null;
  } catch {
    return null; // no cookie of ours
  }
}
