import { afterEach, beforeEach } from "vitest";
import type { Adapter, OpenedStore } from "./adapters.js";
import { settle } from "./records.js";

type Parts = Parameters<typeof settle>[1];

/**
 * A new store for each test of a block, with the clinic and the salon. `with` opens another one, whose
 * businesses have these parts too.
 */
export function freshStore(adapter: Adapter) {
  let opened: OpenedStore[] = [];
  const open = async (clinic: Parts = {}, salon: Parts = {}): Promise<OpenedStore> => {
    const one = await adapter.open();
    opened.push(one);
    await settle(one.store, clinic, salon);
    return one;
  };
  beforeEach(() => open());
  afterEach(async () => {
    for (const one of opened) await one.dispose();
    opened = [];
  });
  const current = (): OpenedStore => {
    const last = opened.at(-1);
    if (!last) throw new Error("no store is open outside of a test");
    return last;
  };
  return Object.assign(current, { with: open });
}
