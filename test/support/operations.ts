import type { Store } from "@queue-api/server";
import { wrapStore } from "../../server/src/operations/wrap-store.js";

/** The name of every operation of the port. */
export function operationsOf(store: Store): string[] {
  const names: string[] = [];
  wrapStore(store, (name, operation) => {
    names.push(name);
    return operation;
  });
  return names;
}
