import { afterEach, beforeEach } from "vitest";
import type { Adapter, OpenedStore } from "./adapters.js";
import { settle } from "./records.js";

/** A new store for each test of a block, with the clinic and the salon. */
export function freshStore(adapter: Adapter): () => OpenedStore {
  let opened: OpenedStore | undefined;
  beforeEach(async () => {
    opened = await adapter.open();
    await settle(opened.store);
  });
  afterEach(async () => {
    await opened?.dispose();
    opened = undefined;
  });
  return () => {
    if (!opened) throw new Error("no store is open outside of a test");
    return opened;
  };
}
