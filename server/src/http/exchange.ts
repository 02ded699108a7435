import type { ErrorCode } from "@queue-api/contract";
import type { Response } from "express";
import type { WindowReport } from "../rules/window.js";

/** What the pipeline knows of a request and its answer. */
export interface Exchange {
  readonly requestId: string;
  /** The caller's address in normal form. */
  readonly address: string;
  /** Whom the caller's failed sign-ins are counted for. */
  readonly subject: string;
  /** The window that the RateLimit headers report; null where none applies. */
  window: WindowReport | null;
  /** The error that the request was answered with; null as long as there is none. */
  refusal: ErrorCode | null;
}

export function setExchange(res: Response, exchange: Exchange): void {
  res.locals.exchange = exchange;
}

export function exchangeOf(res: Response): Exchange {
  return res.locals.exchange as Exchange;
}
