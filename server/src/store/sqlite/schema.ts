/*
 * The schema, version by version. A step that was released is never changed: what comes after it goes
 * into a step of its own.
 *
 * A line is one queue on one day. Its row carries everything that is counted, and `line_blocks` the
 * people waiting in runs of token numbers, so that nothing has to read the day to tell a place in it.
 * Both are kept by triggers: whatever writes an entry cannot forget them.
 */

/** A run of 32 numbers is a block of level 1, and 32 of those are one of level 2. */
export const blockBits = { 1: 5, 2: 10 } as const;

/** What an entry adds to the totals of its line. */
const lineTotals: Record<string, (entry: string) => string> = {
  waiting: (e) => `(${e}.status = 'WAITING')`,
  in_service: (e) => `(${e}.status = 'IN_SERVICE')`,
  completed: (e) => `(${e}.status = 'COMPLETED')`,
  canceled: (e) => `(${e}.status = 'CANCELED')`,
  no_show: (e) => `(${e}.status = 'NO_SHOW')`,
  finished: (e) => `(${finished(e)})`,
  finished_milliseconds: (e) => `iif(${finished(e)}, ${e}.completed_at - ${e}.started_at, 0)`,
  known_minutes: (e) => `iif(${e}.status = 'WAITING', ifnull(${e}.work_minutes, 0), 0)`,
  unknown: (e) => `(${e}.status = 'WAITING' AND ${e}.work_minutes IS NULL)`,
  priority_waiting: (e) => `(${first(e)})`,
  priority_known_minutes: (e) => `iif(${first(e)}, ifnull(${e}.work_minutes, 0), 0)`,
  priority_unknown: (e) => `(${first(e)} AND ${e}.work_minutes IS NULL)`,
};

function finished(e: string): string {
  return `${e}.status = 'COMPLETED' AND ${e}.started_at IS NOT NULL AND ${e}.completed_at IS NOT NULL`;
}

function first(e: string): string {
  return `${e}.status = 'WAITING' AND ${e}.priority = 1`;
}

function count(
  entry: string,
  change: (total: (row: string) => string) => string,
  more: readonly string[] = [],
): string {
  const changes = Object.entries(lineTotals).map(
    ([column, total]) => `${column} = ${column} ${change(total)}`,
  );
  const number = `last_number = max(last_number, ${entry}.token_number)`;
  const all = [number, ...changes, ...more].join(", ");
  return `UPDATE lines SET ${all} WHERE id = ${entry}.line_id;`;
}

const joinBlocks = `
  INSERT INTO line_blocks (line_id, priority, level, block, waiting, known_minutes, unknown) VALUES
    (NEW.line_id, NEW.priority, 1, NEW.token_number >> ${blockBits[1]},
     1, ifnull(NEW.work_minutes, 0), NEW.work_minutes IS NULL),
    (NEW.line_id, NEW.priority, 2, NEW.token_number >> ${blockBits[2]},
     1, ifnull(NEW.work_minutes, 0), NEW.work_minutes IS NULL)
  ON CONFLICT DO UPDATE SET
    waiting = waiting + 1,
    known_minutes = known_minutes + excluded.known_minutes,
    unknown = unknown + excluded.unknown;`;

const leaveBlock = (level: 1 | 2) => `
  UPDATE line_blocks SET
    waiting = waiting - 1,
    known_minutes = known_minutes - ifnull(OLD.work_minutes, 0),
    unknown = unknown - (OLD.work_minutes IS NULL)
  WHERE line_id = OLD.line_id AND priority = OLD.priority
    AND level = ${level} AND block = OLD.token_number >> ${blockBits[level]};`;

const leaveBlocks = leaveBlock(1) + leaveBlock(2);

const counted = "status, priority, work_minutes, started_at, completed_at";

const version1 = `
  CREATE TABLE businesses (
    position INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    slug TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    category TEXT,
    timezone TEXT,
    api_access INTEGER NOT NULL,
    daily_token_limit INTEGER
  ) STRICT;

  CREATE TABLE api_keys (
    id TEXT PRIMARY KEY,
    business_id TEXT NOT NULL,
    name TEXT NOT NULL,
    secret_hash TEXT NOT NULL,
    scopes TEXT NOT NULL,
    allow_ips TEXT NOT NULL,
    requests_per_minute INTEGER NOT NULL,
    writes_per_minute INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX api_keys_by_business ON api_keys (business_id, created_at, id);

  CREATE TABLE services (
    position INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    business_id TEXT NOT NULL,
    name TEXT NOT NULL,
    price INTEGER,
    base_time_minutes INTEGER,
    active INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX services_by_business ON services (business_id);

  CREATE TABLE queues (
    position INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    business_id TEXT NOT NULL,
    name TEXT NOT NULL,
    token_series TEXT NOT NULL,
    is_active INTEGER NOT NULL,
    is_token_creation_paused INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX queues_by_business ON queues (business_id);

  CREATE TABLE lines (
    id INTEGER PRIMARY KEY,
    business_id TEXT NOT NULL,
    queue_id TEXT NOT NULL,
    date TEXT NOT NULL,
    last_number INTEGER NOT NULL DEFAULT 0,
    ${Object.keys(lineTotals)
      .map((column) => `${column} INTEGER NOT NULL DEFAULT 0`)
      .join(",\n    ")},
    UNIQUE (queue_id, date)
  ) STRICT;
  CREATE INDEX lines_by_business ON lines (business_id, date);

  CREATE TABLE line_blocks (
    line_id INTEGER NOT NULL,
    priority INTEGER NOT NULL,
    level INTEGER NOT NULL,
    block INTEGER NOT NULL,
    waiting INTEGER NOT NULL,
    known_minutes INTEGER NOT NULL,
    unknown INTEGER NOT NULL,
    PRIMARY KEY (line_id, priority, level, block)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE entries (
    line_id INTEGER NOT NULL,
    token_number INTEGER NOT NULL,
    id TEXT NOT NULL UNIQUE,
    token_series TEXT NOT NULL,
    status TEXT NOT NULL,
    priority INTEGER NOT NULL,
    service_id TEXT,
    work_minutes INTEGER,
    customer_name TEXT,
    customer_phone TEXT,
    issued_at INTEGER NOT NULL,
    started_at INTEGER,
    completed_at INTEGER,
    canceled_at INTEGER,
    claim_id TEXT,
    PRIMARY KEY (line_id, token_number)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX entries_by_status ON entries (line_id, status, token_number);
  CREATE INDEX entries_waiting ON entries (line_id, priority DESC, token_number, work_minutes)
    WHERE status = 'WAITING';
  CREATE UNIQUE INDEX entries_by_claim ON entries (claim_id) WHERE claim_id IS NOT NULL;

  CREATE TRIGGER entries_count_inserted AFTER INSERT ON entries BEGIN
    ${count("NEW", (total) => `+ ${total("NEW")}`)}
  END;
  CREATE TRIGGER entries_count_updated AFTER UPDATE OF ${counted} ON entries BEGIN
    ${count("NEW", (total) => `+ ${total("NEW")} - ${total("OLD")}`)}
  END;
  CREATE TRIGGER entries_count_deleted AFTER DELETE ON entries BEGIN
    ${count("OLD", (total) => `- ${total("OLD")}`)}
  END;
  CREATE TRIGGER entries_join_inserted AFTER INSERT ON entries
  WHEN NEW.status = 'WAITING' BEGIN ${joinBlocks} END;
  CREATE TRIGGER entries_leave_updated AFTER UPDATE OF ${counted} ON entries
  WHEN OLD.status = 'WAITING' BEGIN ${leaveBlocks} END;
  CREATE TRIGGER entries_join_updated AFTER UPDATE OF ${counted} ON entries
  WHEN NEW.status = 'WAITING' BEGIN ${joinBlocks} END;
  CREATE TRIGGER entries_leave_deleted AFTER DELETE ON entries
  WHEN OLD.status = 'WAITING' BEGIN ${leaveBlocks} END;

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
    notes TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX appointments_by_day ON appointments (business_id, date, slot_time, id);

  CREATE TABLE idempotency (
    business_id TEXT NOT NULL,
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    claim_id TEXT NOT NULL,
    owner TEXT NOT NULL,
    lease_until INTEGER NOT NULL,
    answer_status INTEGER,
    answer_body TEXT,
    answer_location TEXT,
    kept_until INTEGER NOT NULL,
    PRIMARY KEY (business_id, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX idempotency_by_end ON idempotency (kept_until);

  CREATE TABLE sign_in_windows (
    subject TEXT PRIMARY KEY,
    started_at INTEGER NOT NULL,
    count INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX sign_in_windows_by_start ON sign_in_windows (started_at);

  CREATE TABLE key_windows (
    key_id TEXT PRIMARY KEY,
    requests_started_at INTEGER NOT NULL,
    requests_count INTEGER NOT NULL,
    writes_started_at INTEGER,
    writes_count INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX key_windows_by_start ON key_windows (requests_started_at);

  CREATE TABLE audit (
    position INTEGER PRIMARY KEY,
    business_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    at INTEGER NOT NULL,
    method TEXT NOT NULL,
    path TEXT NOT NULL,
    status INTEGER NOT NULL,
    ip TEXT NOT NULL,
    request_id TEXT NOT NULL
  ) STRICT;
  CREATE INDEX audit_by_business ON audit (business_id);
  CREATE INDEX audit_by_time ON audit (at);
`;

/** Who may sign in to the dashboard. */
const version2 = `
  CREATE TABLE owners (
    id TEXT PRIMARY KEY,
    business_id TEXT NOT NULL,
    email TEXT NOT NULL UNIQUE,
    password_hash TEXT,
    created_at INTEGER NOT NULL,
    link_hash TEXT,
    link_expires_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX owners_by_business ON owners (business_id, created_at, id);
  CREATE UNIQUE INDEX owners_by_link ON owners (link_hash) WHERE link_hash IS NOT NULL;
  CREATE INDEX owners_by_link_end ON owners (link_expires_at) WHERE link_expires_at IS NOT NULL;

  CREATE TABLE owner_sessions (
    position INTEGER PRIMARY KEY,
    token_hash TEXT NOT NULL UNIQUE,
    owner_id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX owner_sessions_by_owner ON owner_sessions (owner_id);
  CREATE INDEX owner_sessions_by_end ON owner_sessions (expires_at);

  CREATE TABLE owner_sign_in_windows (
    name TEXT PRIMARY KEY,
    started_at INTEGER NOT NULL,
    count INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX owner_sign_in_windows_by_start ON owner_sign_in_windows (started_at);
`;

/** What the owner's pages ask for: the log by time, and when a key was last used. */
const version3 = `
  DROP INDEX audit_by_business;
  CREATE INDEX audit_by_business_and_time ON audit (business_id, at);

  ALTER TABLE api_keys ADD COLUMN last_used_at INTEGER;
  CREATE TRIGGER key_windows_remembered AFTER DELETE ON key_windows BEGIN
    UPDATE api_keys SET last_used_at = OLD.requests_started_at WHERE id = OLD.key_id;
  END;
`;

/** Each change of a line, and of what a business offers, leaves a new number behind, kept by triggers too. */
const revised = ["revision = revision + 1"];

const offers = ["queues", "services"].flatMap((table) =>
  [
    ["inserted", "INSERT", "NEW"],
    ["updated", "UPDATE", "NEW"],
    ["deleted", "DELETE", "OLD"],
  ].map(
    ([done, event, row]) => `
  CREATE TRIGGER ${table}_revise_${done} AFTER ${event} ON ${table} BEGIN
    UPDATE businesses SET board_revision = board_revision + 1 WHERE id = ${row}.business_id;
  END;`,
  ),
);

const version4 = `
  ALTER TABLE lines ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE businesses ADD COLUMN board_revision INTEGER NOT NULL DEFAULT 0;

  DROP TRIGGER entries_count_inserted;
  DROP TRIGGER entries_count_updated;
  DROP TRIGGER entries_count_deleted;
  CREATE TRIGGER entries_count_inserted AFTER INSERT ON entries BEGIN
    ${count("NEW", (total) => `+ ${total("NEW")}`, revised)}
  END;
  CREATE TRIGGER entries_count_updated AFTER UPDATE OF ${counted} ON entries BEGIN
    ${count("NEW", (total) => `+ ${total("NEW")} - ${total("OLD")}`, revised)}
  END;
  CREATE TRIGGER entries_count_deleted AFTER DELETE ON entries BEGIN
    ${count("OLD", (total) => `- ${total("OLD")}`, revised)}
  END;
  ${offers.join("")}
`;

/** Which business is a sandbox, and which key was made for it; nothing that was there before is. */
const version5 = `
  ALTER TABLE businesses ADD COLUMN sandbox INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE api_keys ADD COLUMN purpose TEXT NOT NULL DEFAULT 'owner';
`;

/** What leads from each version to the next, from an empty database on. */
export const migrations: readonly string[] = [version1, version2, version3, version4, version5];
