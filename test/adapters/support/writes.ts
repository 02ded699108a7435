import type { Write } from "../../../server/src/store/port.js";
import type { Stored, TableName, Tables } from "../../../server/src/store/tables.js";

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
