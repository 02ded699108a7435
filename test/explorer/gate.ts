import type { Access, Adapter, Write } from "../../server/src/store/port.js";
import { withAccess } from "../store/support/adapters.js";

/** A call of an operation to the adapter that waits until the explorer takes it. */
export interface Step {
  /** Unique in its run: `act1: find entries 2`. */
  readonly name: string;
  readonly table: string;
  readonly isWrite: boolean;
  readonly take: () => void;
}

type AnyCall = (...given: unknown[]) => Promise<unknown>;

const verbs = ["find", "list", "count", "line", "last", "send"] as const;

/** The adapter as one operation calls it. Each call is added to `held`, and goes on when it is taken. */
export function gated(adapter: Adapter, operation: string, held: Set<Step>): Adapter {
  const calls: Record<string, number> = {};
  const hold =
    (access: Access, verb: (typeof verbs)[number]) => (first: unknown, second: unknown) =>
      new Promise((resolve, reject) => {
        const table = typeof first === "string" ? first : ((first as Write).table ?? "entries");
        const kind = `${operation}: ${verb} ${table}`;
        const call = calls[kind] ?? 0;
        calls[kind] = call + 1;
        const take = () => {
          held.delete(step);
          (access[verb] as AnyCall)(first, second).then(resolve, reject);
        };
        const step = { name: `${kind} ${call}`, table, isWrite: verb === "send", take };
        held.add(step);
      });

  return withAccess(adapter, (access) =>
    Object.fromEntries(verbs.map((verb) => [verb, hold(access, verb)])),
  );
}
