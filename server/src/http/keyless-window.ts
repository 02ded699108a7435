import type { Response } from "express";
import type { Store } from "../store/store.js";
import { StoreUnavailableError } from "../store/store-unavailable-error.js";
import { exchangeOf } from "./exchange.js";

/** How long an answer waits for its RateLimit headers. */
const longestWaitMs = 250;

/**
 * Where no key is known, the RateLimit headers report the failed sign-ins of the caller's address. Without a
 * database they report an untouched window: what needs no key needs no database either.
 */
export async function reportSignInWindow(store: Store, res: Response): Promise<void> {
  const exchange = exchangeOf(res);
  const asked = store.admission.signInWindow(exchange.subject).then(
    (window) => {
      exchange.window = window;
    },
    (error: unknown) => {
      if (!(error instanceof StoreUnavailableError)) throw error;
    },
  );
  let timer: NodeJS.Timeout | undefined;
  const waited = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, longestWaitMs);
  });
  await Promise.race([asked, waited]).finally(() => clearTimeout(timer));
}
