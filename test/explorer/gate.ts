import type { Adapter, Write } from "../../server/src/store/port.js";
import { primaryKeys, type TableName } from "../../server/src/store/tables.js";

/** A call of an operation to the adapter that waits until the explorer releases it. */
export interface Step {
  /** Unique in its run: `one: find entries 2`. */
  readonly name: string;
  readonly table: TableName;
  readonly isWrite: boolean;
  readonly take: () => void;
}

/** A deliberate error of the adapter. */
export type Break = "no unique index" | "no version check" | null;

/** The adapter as one operation calls it. Each call is added to `held`, and goes on when its step is taken. */
export function gated(
  adapter: Adapter,
  operation: string,
  held: Set<Step>,
  broken: Break,
): Adapter {
  const names = new Map<string, number>();

  function hold<Args extends unknown[], Result>(
    verb: string,
    call: (...args: Args) => Promise<Result>,
    tableOf: (...args: Args) => TableName = () => "entries",
  ): (...args: Args) => Promise<Result> {
    return (...args) =>
      new Promise((resolve, reject) => {
        const table = tableOf(...args);
        const kind = `${operation}: ${verb} ${table}`;
        const count = (names.get(kind) ?? 0) + 1;
        names.set(kind, count);
        const step: Step = {
          ...{ name: `${kind} ${count}`, table, isWrite: verb === "send" },
          take: () => {
            held.delete(step);
            call(...args).then(resolve, reject);
          },
        };
        held.add(step);
      });
  }

  return {
    ...adapter,
    find: hold("find", adapter.find, (table) => table) as Adapter["find"],
    list: hold("list", adapter.list, (table) => table) as Adapter["list"],
    count: hold("count", adapter.count),
    line: hold("line", adapter.line),
    last: hold("last", adapter.last),
    send: hold("send", sendOf(adapter, broken), ({ table }) => table),
  };
}

function sendOf(adapter: Adapter, broken: Break): Adapter["send"] {
  return async (write) => {
    if (broken === "no unique index" && write.kind === "insert") {
      await adapter.append(write.table as "entries", [write.record as never]);
      return "done";
    }
    if (broken !== "no version check" || write.kind === "insert") return adapter.send(write);
    const key = primaryKeys[write.table];
    const { [key]: value } = write.before as unknown as Record<string, string>;
    const before = await adapter.find(write.table, { [key]: value ?? "" });
    return adapter.send({ ...write, before } as Write);
  };
}
