import { RunAgain } from "../../../server/src/store/errors.js";
import type { Adapter, Write } from "../../../server/src/store/port.js";
import type { Stored, TableName, Tables } from "../../../server/src/store/tables.js";

/** Sends a write as an operation does. `conflict`: another write came first. */
export async function send(
  adapter: Adapter,
  write: Write,
  isDurable = true,
): Promise<"done" | "conflict"> {
  try {
    await adapter.runOnce((access) => access.send(write), isDurable);
    return "done";
  } catch (error) {
    if (error instanceof RunAgain) return "conflict";
    throw error;
  }
}

/** What an adapter sends to insert a record. */
export function insertion<T extends TableName>(
  table: T,
  record: Tables[T],
  audit: Write["audit"] = null,
): Write {
  return { kind: "insert", table, record, audit } as Write;
}

/** What an adapter sends to change a record that was read. */
export function update<T extends TableName>(
  table: T,
  before: Stored<T>,
  change: Partial<Tables[T]>,
  audit: Write["audit"] = null,
): Write {
  const { version, ...record } = { ...before, ...change };
  return { kind: "update", table, before, record, audit } as unknown as Write;
}

/** What an adapter sends to remove a record that was read. */
export function removal<T extends TableName>(table: T, before: Stored<T>): Write {
  return { kind: "remove", table, before, audit: null } as unknown as Write;
}
