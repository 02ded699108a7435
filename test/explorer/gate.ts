import type { Adapter, Write } from "../../server/src/store/port.js";
import { primaryKeys } from "../../server/src/store/tables.js";

/** A call of an operation to the adapter that waits until the explorer takes it. */
export interface Step {
  /** Unique in its run: `act1: find entries 2`. */
  readonly name: string;
  readonly table: string;
  readonly isWrite: boolean;
  readonly take: () => void;
}

/** A deliberate error of the adapter. */
export type Break = "no unique index" | "no version check" | null;

type AnyCall = (...given: unknown[]) => Promise<unknown>;

const verbs = ["find", "list", "count", "line", "last", "send"] as const;

/** The adapter as one operation calls it. Each call is added to `held`, and goes on when it is taken. */
export function gated(adapter: Adapter, operation: string, held: Set<Step>, broken: Break) {
  const calls: Record<string, number> = {};
  const hold = (verb: (typeof verbs)[number]) => (first: unknown, second: unknown) =>
    new Promise((resolve, reject) => {
      const table = typeof first === "string" ? first : ((first as Write).table ?? "entries");
      const kind = `${operation}: ${verb} ${table}`;
      const call = calls[kind] ?? 0;
      calls[kind] = call + 1;
      const take = () => {
        held.delete(step);
        const run = (verb === "send" ? send : adapter[verb]) as AnyCall;
        run(first, second).then(resolve, reject);
      };
      const step = { name: `${kind} ${call}`, table, isWrite: verb === "send", take };
      held.add(step);
    });

  async function send(write: Write): Promise<"done" | "conflict"> {
    if (broken === "no unique index" && write.kind === "insert") {
      await adapter.append(write.table as "entries", [write.record as never]);
      return "done";
    }
    if (broken !== "no version check" || write.kind === "insert") return adapter.send(write);
    const key = primaryKeys[write.table];
    const { [key]: value = "" } = write.before as unknown as Record<string, string>;
    const before = await adapter.find(write.table, { [key]: value });
    return adapter.send({ ...write, before } as Write);
  }

  const gates = Object.fromEntries(verbs.map((verb) => [verb, hold(verb)]));
  return { ...adapter, ...gates } as Adapter;
}
