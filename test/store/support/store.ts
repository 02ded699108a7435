import { beforeEach } from "vitest";
import { type OpenedStore, openedStore } from "./adapters.js";
import { settle } from "./records.js";

type Parts = Parameters<typeof settle>[1];

/**
 * A new store in memory for each test of a block, with the clinic and the salon. `with` opens another one, whose
 * businesses have these parts too.
 */
export function freshStore() {
  let last: OpenedStore;
  const open = async (clinic: Parts = {}, salon: Parts = {}): Promise<OpenedStore> => {
    last = await openedStore();
    await settle(last.store, clinic, salon);
    return last;
  };
  beforeEach(async () => {
    await open();
  });
  return Object.assign(() => last, { with: open });
}
