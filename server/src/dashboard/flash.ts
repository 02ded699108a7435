import { parseCookie } from "cookie";
import type { Request, Response } from "express";
import { z } from "zod";
import { at } from "./root.js";

/** What happened, told once on the next page. */
export interface Flash {
  readonly kind: "done" | "kindly" | "wrong";
  readonly text: string;
}

const name = "queue_api_flash";

const flash = z.strictObject({
  kind: z.enum(["done", "kindly", "wrong"]),
  text: z.string().min(1).max(300),
});

/** Leaves a message for the next page. It travels in a cookie, so it holds no secret and no customer's name. */
export function leaveFlash(req: Request, res: Response, said: Flash): void {
  res.cookie(name, JSON.stringify(said), {
    httpOnly: true,
    sameSite: "strict",
    secure: req.secure,
    path: at(res, ""),
    maxAge: 60_000,
  });
}

/** The message that was left for this page, which is then gone; null when there is none. */
export function takeFlash(req: Request, res: Response): Flash | null {
  const left = parseCookie(req.headers.cookie ?? "")[name];
  if (left === undefined) return null;
  res.clearCookie(name, { path: at(res, "") });
  try {
    return flash.safeParse(JSON.parse(left)).data ?? null;
  } catch {
    return null; // no cookie of ours
  }
}
