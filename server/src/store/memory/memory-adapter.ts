import { inLineOrder, isWaiting, type WaitingEntry } from "../../rules/line.js";
import { RunAgain } from "../errors.js";
import type { Adapter, DayKey, Listing, Reads, WaitingCount, Write } from "../port.js";
import { expiryFields, primaryKeys, type Stored, type TableName } from "../tables.js";
import { groupsOf, MemoryDays } from "./memory-days.js";
import { MemoryTable, valuesAt } from "./memory-table.js";

/** A database in maps, lost when the process ends. */
export function memoryAdapter(): Adapter {
  const names = Object.keys(primaryKeys) as TableName[];
  const tables = Object.fromEntries(names.map((name) => [name, new MemoryTable(name)])) as {
    readonly [T in TableName]: MemoryTable<T>;
  };
  const table = <T extends TableName>(name: T) => tables[name] as unknown as MemoryTable<T>;
  const days = new MemoryDays();

  function set<T extends TableName>(name: T, record: Stored<T>): void {
    if (name === "entries") days.replace(tables.entries.current(record as never), record as never);
    table(name).set(record);
  }

  function ofDay({ businessId, date, queueId }: DayKey): Stored<"entries">[] {
    const where = { businessId, date, ...(queueId !== undefined && { queueId }) };
    return tables.entries.list({ where, limit: Number.POSITIVE_INFINITY });
  }

  function hasConflict(write: Write): boolean {
    const { table: name } = write;
    if (write.kind === "insert") {
      return table(name).current(write.record) !== undefined || table(name).isTaken(write.record);
    }
    const isAsRead = table(name).current(write.before)?.version === write.before.version;
    return !isAsRead || (write.kind === "update" && table(name).isTaken(write.record));
  }

  const reads: Reads = {
    find: async (name, key) => table(name).find(key),
    list: async <T extends TableName>(name: T, listing: Listing) => table(name).list(listing),

    count: async (day, read) => (read ? groupsOf(ofDay(day), read) : days.groups(day)),

    line: async (day) => ofDay(day).filter(isWaiting).sort(inLineOrder).map(inLine),

    last: async (day) => days.last(day),

    async waiting(dates) {
      const counts = new Map<string, WaitingCount>();
      for (const entry of tables.entries.all()) {
        const { businessId, date, issuedAt } = entry;
        if (!isWaiting(entry) || !dates.includes(date)) continue;
        const known = counts.get(`${businessId} ${date}`);
        const firstIssuedAt = Math.min(issuedAt, known?.firstIssuedAt ?? issuedAt);
        const waiting = 1 + (known?.waiting ?? 0);
        counts.set(`${businessId} ${date}`, { businessId, date, waiting, firstIssuedAt });
      }
      return [...counts.values()];
    },
  };

  async function send(write: Write): Promise<void> {
    if (hasConflict(write)) throw new RunAgain();
    if (write.kind === "remove") table(write.table).delete(write.before);
    else if (write.kind === "insert") set(write.table, { ...write.record, version: 0 });
    else set(write.table, { ...write.record, version: write.before.version + 1 });
    if (write.audit) set("audit", { ...write.audit, version: 0 });
  }

  return {
    ...reads,

    isSerial: false,
    runOnce: (operation) => operation({ ...reads, send }),

    async append(name, records) {
      for (const record of records) {
        if (!table(name).current(record))
          set(name, { ...record, version: 0 } as Stored<typeof name>);
      }
    },

    async removeExpired(name, before, limit) {
      const field = expiryFields[name];
      const ended = table(name)
        .list({ where: {}, order: [field], limit: Number.POSITIVE_INFINITY })
        .filter((record) => Number(valuesAt(record, field)[0] ?? Infinity) < before)
        .slice(0, limit);
      for (const record of ended) {
        if (name === "entries") set(name, { ...(record as Stored<"entries">), keyed: null });
        else table<TableName>(name).delete(record);
      }
      return ended.length;
    },

    async removeOfBusiness(name, businessId, limit) {
      const found = table(name).list({ where: { businessId }, limit });
      for (const record of found) {
        if (name === "entries") days.replace(record as Stored<"entries">, null);
        table(name).delete(record);
      }
      return found.length;
    },

    async maintain() {},
    async ping() {},
    async close() {},
  };
}

function inLine(entry: Stored<"entries">): WaitingEntry {
  const { id, queueId, priority, tokenNumber, workMinutes } = entry;
  return { id, queueId, priority, tokenNumber, workMinutes };
}
