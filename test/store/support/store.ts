import { test } from "vitest";
import { openedStore } from "./adapters.js";
import { settle } from "./records.js";

type Parts = Parameters<typeof settle>[1];

/** A new store in memory with the clinic and the salon, which have these parts too. */
export async function settledStore(clinic: Parts = {}, salon: Parts = {}) {
  const opened = await openedStore();
  await settle(opened.store, clinic, salon);
  return opened;
}

/** A test with a settled store and its clock. */
export const it = test
  .extend("opened", () => settledStore())
  .extend("store", ({ opened }) => opened.store)
  .extend("clock", ({ opened }) => opened.clock);
