import type { TableName } from "../tables.js";
import { flag, json, plain, Table, typed } from "./table.js";

/** The version of the schema, in the header of the file. */
export const schemaVersion = 1;

/** How the records of each table are stored. */
export const tables = {
  businesses: new Table<"businesses">({
    slug: plain,
    id: plain,
    added: plain,
    name: typed,
    category: typed,
    timezone: plain,
    apiAccess: flag,
    dailyTokenLimit: plain,
    sandbox: flag,
    longWaitMinutes: plain,
    displayHash: plain,
    displayQuery: plain,
    revision: plain,
    queues: json,
    services: json,
    keys: json,
    accounts: json,
    used: json,
  }),
  entries: new Table<"entries">({
    id: plain,
    businessId: plain,
    queueId: plain,
    date: plain,
    tokenSeries: plain,
    tokenNumber: plain,
    status: plain,
    priority: flag,
    serviceId: plain,
    workMinutes: plain,
    customerName: typed,
    customerPhone: plain,
    phoneIsInternational: flag,
    issuedAt: plain,
    startedAt: plain,
    completedAt: plain,
    canceledAt: plain,
    revision: plain,
    calls: plain,
    calledAgainAt: plain,
    counter: typed,
    placeInDay: plain,
    earlierPlaces: json,
    appointmentId: plain,
    tokens: json,
    uses: json,
    changedAt: plain,
    keyed: { columns: { key: plain, fingerprint: plain, receipt: json, keptUntil: plain } },
  }),
  appointments: new Table<"appointments">({
    id: plain,
    businessId: plain,
    date: plain,
    slotTime: plain,
    durationMinutes: plain,
    status: plain,
    serviceId: plain,
    customerName: typed,
    customerPhone: plain,
    phoneIsInternational: flag,
    notes: typed,
    revision: plain,
    isRemoved: flag,
  }),
  sessions: new Table<"sessions">({ id: plain, businessId: plain, sessions: json, endsAt: plain }),
  windows: new Table<"windows">({ id: plain, requests: json, writes: json, endsAt: plain }),
  audit: new Table<"audit">({
    id: plain,
    businessId: plain,
    keyId: plain,
    account: typed,
    at: plain,
    method: plain,
    path: plain,
    status: plain,
    ip: plain,
    requestId: plain,
    sum: json,
    sumName: plain,
  }),
  imports: new Table<"imports">({ id: plain, at: plain }),
} as const satisfies { readonly [T in TableName]: Table<T> };

const schemaOfTables = `
  CREATE TABLE businesses (
    slug TEXT PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    added TEXT NOT NULL,
    name TEXT NOT NULL,
    category TEXT,
    timezone TEXT,
    api_access INTEGER NOT NULL,
    daily_token_limit INTEGER,
    sandbox INTEGER NOT NULL,
    long_wait_minutes INTEGER,
    display_hash TEXT,
    display_query TEXT NOT NULL,
    revision INTEGER NOT NULL,
    queues TEXT NOT NULL,
    services TEXT NOT NULL,
    keys TEXT NOT NULL,
    accounts TEXT NOT NULL,
    used TEXT NOT NULL,
    version INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX businesses_added ON businesses (added);
  CREATE INDEX businesses_display ON businesses (display_hash) WHERE display_hash IS NOT NULL;

  CREATE TABLE entries (
    id TEXT PRIMARY KEY,
    business_id TEXT NOT NULL,
    queue_id TEXT NOT NULL,
    date TEXT NOT NULL,
    token_series TEXT NOT NULL,
    token_number INTEGER NOT NULL,
    status TEXT NOT NULL,
    priority INTEGER NOT NULL,
    service_id TEXT,
    work_minutes INTEGER,
    customer_name TEXT,
    customer_phone TEXT,
    phone_is_international INTEGER NOT NULL,
    issued_at INTEGER NOT NULL,
    started_at INTEGER,
    completed_at INTEGER,
    canceled_at INTEGER,
    revision INTEGER NOT NULL,
    calls INTEGER NOT NULL,
    called_again_at INTEGER,
    counter TEXT,
    place_in_day INTEGER NOT NULL,
    earlier_places TEXT NOT NULL,
    appointment_id TEXT,
    tokens TEXT NOT NULL,
    uses TEXT NOT NULL,
    changed_at INTEGER NOT NULL,
    key TEXT,
    fingerprint TEXT,
    receipt TEXT,
    kept_until INTEGER,
    version INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX entries_place ON entries (business_id, date, place_in_day);
  CREATE UNIQUE INDEX entries_key ON entries (business_id, key) WHERE key IS NOT NULL;
  CREATE INDEX entries_key_end ON entries (kept_until) WHERE kept_until IS NOT NULL;
  CREATE UNIQUE INDEX entries_appointment ON entries (business_id, appointment_id)
    WHERE appointment_id IS NOT NULL;
  CREATE INDEX entries_queue ON entries (business_id, date, queue_id, token_number);
  CREATE INDEX entries_status ON entries (business_id, date, queue_id, status, token_number);
  CREATE INDEX entries_change ON entries (business_id, date, changed_at);
  -- what is counted of a day
  CREATE INDEX entries_count ON entries (business_id, date, queue_id, status, priority, work_minutes,
    token_number, started_at, completed_at);
  -- the lines of all days
  CREATE INDEX entries_line ON entries (date, business_id, queue_id, priority DESC, token_number,
    work_minutes, issued_at, id) WHERE status = 'WAITING';

  CREATE TABLE appointments (
    id TEXT PRIMARY KEY,
    business_id TEXT NOT NULL,
    date TEXT NOT NULL,
    slot_time TEXT NOT NULL,
    duration_minutes INTEGER NOT NULL,
    status TEXT NOT NULL,
    service_id TEXT,
    customer_name TEXT,
    customer_phone TEXT,
    phone_is_international INTEGER NOT NULL,
    notes TEXT,
    revision INTEGER NOT NULL,
    is_removed INTEGER NOT NULL,
    version INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX appointments_day ON appointments (business_id, is_removed, date, slot_time, id);
  CREATE INDEX appointments_service ON appointments (business_id, is_removed, service_id);

  CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    business_id TEXT NOT NULL,
    sessions TEXT NOT NULL,
    ends_at INTEGER NOT NULL,
    version INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX sessions_business ON sessions (business_id);
  CREATE INDEX sessions_end ON sessions (ends_at);

  CREATE TABLE windows (
    id TEXT PRIMARY KEY,
    requests TEXT NOT NULL,
    writes TEXT,
    ends_at INTEGER NOT NULL,
    version INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX windows_end ON windows (ends_at);

  CREATE TABLE audit (
    id TEXT PRIMARY KEY,
    business_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    account TEXT,
    at INTEGER NOT NULL,
    method TEXT NOT NULL,
    path TEXT NOT NULL,
    status INTEGER NOT NULL,
    ip TEXT NOT NULL,
    request_id TEXT NOT NULL,
    sum TEXT,
    sum_name TEXT,
    version INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX audit_log ON audit (business_id, at, id);
  CREATE UNIQUE INDEX audit_sum ON audit (sum_name) WHERE sum_name IS NOT NULL;
  CREATE INDEX audit_time ON audit (at);

  CREATE TABLE imports (
    id TEXT PRIMARY KEY,
    at INTEGER NOT NULL,
    version INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`;

/** A table of the items of a list in a record, by which the record is found. */
export interface ItemTable {
  readonly name: string;
  /** The column of the list, and the value of an item of it in SQL. */
  readonly list: string;
  readonly item: string;
  /** The columns of an index: fields of the record, and the item at the end. */
  readonly columns: readonly string[];
  /** Whether no two records may have an item in common. */
  readonly isUnique: boolean;
}

/** The indexes of `tables.ts` that name items of a list, by the path of the item. */
export const itemTables: { readonly [T in TableName]?: Readonly<Record<string, ItemTable>> } = {
  businesses: {
    "keys.id": {
      ...{ name: "business_keys", list: "keys", item: "value ->> 'id'" },
      ...{ columns: ["key_id"], isUnique: true },
    },
    "queues.id": {
      ...{ name: "business_queues", list: "queues", item: "value ->> 'id'" },
      ...{ columns: ["queue_id"], isUnique: false },
    },
    "accounts.email": {
      ...{ name: "business_emails", list: "accounts", item: "value ->> 'email'" },
      ...{ columns: ["email"], isUnique: false },
    },
    "accounts.link.tokenHash": {
      ...{ name: "business_links", list: "accounts", item: "value ->> '$.link.tokenHash'" },
      ...{ columns: ["token_hash"], isUnique: false },
    },
  },
  entries: {
    tokens: {
      ...{ name: "entry_tokens", list: "tokens", item: "value" },
      ...{ columns: ["business_id", "date", "token"], isUnique: true },
    },
    uses: {
      ...{ name: "entry_uses", list: "uses", item: "value" },
      ...{ columns: ["business_id", "used_id"], isUnique: false },
    },
  },
  sessions: {
    "sessions.tokenHash": {
      ...{ name: "session_tokens", list: "sessions", item: "value ->> 'tokenHash'" },
      ...{ columns: ["token_hash"], isUnique: false },
    },
  },
};

/** Creates the table of a list, and the triggers by which SQLite keeps it. `primary`: the key of the record. */
function schemaOfItems(table: string, primary: string, of: ItemTable): string {
  const { name, list, item, columns, isUnique } = of;
  const fields = columns.slice(0, -1);
  const key = isUnique ? columns : [...columns, "record"];
  const values = (row: string) => [...fields.map((field) => `${row}.${field}`), item].join(", ");
  const add = `
    INSERT INTO ${name} SELECT DISTINCT ${values("new")}, new.${primary}
    FROM json_each(new.${list}) WHERE ${item} IS NOT NULL;`;
  const remove = `
    DELETE FROM ${name} WHERE record = old.${primary}
    AND (${columns.join(", ")}) IN (SELECT ${values("old")} FROM json_each(old.${list}));`;
  return `
    CREATE TABLE ${name} (
      ${columns.map((column) => `${column} TEXT NOT NULL`).join(", ")},
      record TEXT NOT NULL, PRIMARY KEY (${key.join(", ")})
    ) STRICT, WITHOUT ROWID;
    CREATE TRIGGER ${name}_insert AFTER INSERT ON ${table} BEGIN ${add} END;
    CREATE TRIGGER ${name}_update AFTER UPDATE OF ${list} ON ${table} BEGIN ${remove} ${add} END;
    CREATE TRIGGER ${name}_delete AFTER DELETE ON ${table} BEGIN ${remove} END;`;
}

/** Creates the schema in an empty database. */
export function schema(primaryKeys: Readonly<Record<TableName, string>>): string {
  const ofItems = Object.entries(itemTables).flatMap(([table, lists]) =>
    Object.values(lists).map((list) => schemaOfItems(table, primaryKeys[table as TableName], list)),
  );
  return [schemaOfTables, ...ofItems].join("\n");
}
