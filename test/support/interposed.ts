import type { Store } from "@queue-api/server";
import type { Gate } from "./gate.js";

/** Some operations of a store, noun by noun. */
export type Operations = {
  readonly [Noun in keyof Store]?: Store[Noun] extends (...given: never) => unknown
    ? Store[Noun]
    : Partial<Store[Noun]>;
};

/** The same store with some of its operations replaced, also those that store an audit row. */
export function interposed(
  store: Store,
  operations: Operations | ((store: Store) => Operations),
): Store {
  const own = typeof operations === "function" ? operations(store) : operations;
  const replaced = Object.entries(own).map(([noun, some]) => [
    noun,
    typeof some === "function" ? some : { ...store[noun as keyof Store], ...some },
  ]);
  const audited: Store["audited"] = (row) => interposed(store.audited(row), operations);
  return { ...store, ...Object.fromEntries(replaced), audited };
}

type Asked<Operation> = Operation extends (...asked: infer All) => unknown ? All : never;

/** What makes one operation of a store wait at gates: before it, or with its outcome. `when`: by default always. */
export function held<Noun extends keyof Store, Verb extends keyof Store[Noun]>(
  noun: Noun,
  verb: Verb,
  gates: { before?: Gate; after?: Gate; when?: (...asked: Asked<Store[Noun][Verb]>) => boolean },
): (store: Store) => Operations {
  const { before, after, when = () => true } = gates;
  return (store) => {
    const operation = store[noun][verb] as (...asked: unknown[]) => Promise<unknown>;
    const waiting = async (...asked: Asked<Store[Noun][Verb]>) => {
      const isHeld = when(...asked);
      if (isHeld) await before?.pass();
      const outcome = await operation(...asked);
      if (isHeld) await after?.pass();
      return outcome;
    };
    return { [noun]: { [verb]: waiting } };
  };
}
