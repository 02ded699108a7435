import type { Response } from "express";
import type { Store } from "../store/store.js";
import { exchangeOf } from "./exchange.js";

/** Where no key is known, the RateLimit headers report the failed sign-ins of the caller's address. */
export async function reportSignInWindow(store: Store, res: Response): Promise<void> {
  const exchange = exchangeOf(res);
  exchange.window = await store.admission.signInWindow(exchange.subject);
}
