/**
 * The first schema. A line is one queue on one day. Its row carries everything that is counted, and
 * `line_blocks` the waiting entries in runs of token numbers, so that no query has to read the day to find a
 * place in it. A run of 32 numbers is a block of level 1, and 32 of those are a block of level 2. Triggers keep
 * both: a statement that writes an entry cannot forget them.
 */
export const version1 = `
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
    waiting INTEGER NOT NULL DEFAULT 0,
    in_service INTEGER NOT NULL DEFAULT 0,
    completed INTEGER NOT NULL DEFAULT 0,
    canceled INTEGER NOT NULL DEFAULT 0,
    no_show INTEGER NOT NULL DEFAULT 0,
    finished INTEGER NOT NULL DEFAULT 0,
    finished_milliseconds INTEGER NOT NULL DEFAULT 0,
    known_minutes INTEGER NOT NULL DEFAULT 0,
    unknown INTEGER NOT NULL DEFAULT 0,
    priority_waiting INTEGER NOT NULL DEFAULT 0,
    priority_known_minutes INTEGER NOT NULL DEFAULT 0,
    priority_unknown INTEGER NOT NULL DEFAULT 0,
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
    UPDATE lines SET
      last_number = max(last_number, NEW.token_number),
      waiting = waiting + (NEW.status = 'WAITING'),
      in_service = in_service + (NEW.status = 'IN_SERVICE'),
      completed = completed + (NEW.status = 'COMPLETED'),
      canceled = canceled + (NEW.status = 'CANCELED'),
      no_show = no_show + (NEW.status = 'NO_SHOW'),
      finished = finished + (NEW.status = 'COMPLETED' AND NEW.started_at IS NOT NULL AND NEW.completed_at IS NOT NULL),
      finished_milliseconds = finished_milliseconds + iif(NEW.status = 'COMPLETED' AND NEW.started_at IS NOT NULL AND NEW.completed_at IS NOT NULL, NEW.completed_at - NEW.started_at, 0),
      known_minutes = known_minutes + iif(NEW.status = 'WAITING', ifnull(NEW.work_minutes, 0), 0),
      unknown = unknown + (NEW.status = 'WAITING' AND NEW.work_minutes IS NULL),
      priority_waiting = priority_waiting + (NEW.status = 'WAITING' AND NEW.priority = 1),
      priority_known_minutes = priority_known_minutes + iif(NEW.status = 'WAITING' AND NEW.priority = 1, ifnull(NEW.work_minutes, 0), 0),
      priority_unknown = priority_unknown + (NEW.status = 'WAITING' AND NEW.priority = 1 AND NEW.work_minutes IS NULL)
    WHERE id = NEW.line_id;
  END;
  CREATE TRIGGER entries_count_updated AFTER UPDATE OF status, priority, work_minutes, started_at, completed_at ON entries BEGIN
    UPDATE lines SET
      last_number = max(last_number, NEW.token_number),
      waiting = waiting + (NEW.status = 'WAITING') - (OLD.status = 'WAITING'),
      in_service = in_service + (NEW.status = 'IN_SERVICE') - (OLD.status = 'IN_SERVICE'),
      completed = completed + (NEW.status = 'COMPLETED') - (OLD.status = 'COMPLETED'),
      canceled = canceled + (NEW.status = 'CANCELED') - (OLD.status = 'CANCELED'),
      no_show = no_show + (NEW.status = 'NO_SHOW') - (OLD.status = 'NO_SHOW'),
      finished = finished + (NEW.status = 'COMPLETED' AND NEW.started_at IS NOT NULL AND NEW.completed_at IS NOT NULL) - (OLD.status = 'COMPLETED' AND OLD.started_at IS NOT NULL AND OLD.completed_at IS NOT NULL),
      finished_milliseconds = finished_milliseconds + iif(NEW.status = 'COMPLETED' AND NEW.started_at IS NOT NULL AND NEW.completed_at IS NOT NULL, NEW.completed_at - NEW.started_at, 0) - iif(OLD.status = 'COMPLETED' AND OLD.started_at IS NOT NULL AND OLD.completed_at IS NOT NULL, OLD.completed_at - OLD.started_at, 0),
      known_minutes = known_minutes + iif(NEW.status = 'WAITING', ifnull(NEW.work_minutes, 0), 0) - iif(OLD.status = 'WAITING', ifnull(OLD.work_minutes, 0), 0),
      unknown = unknown + (NEW.status = 'WAITING' AND NEW.work_minutes IS NULL) - (OLD.status = 'WAITING' AND OLD.work_minutes IS NULL),
      priority_waiting = priority_waiting + (NEW.status = 'WAITING' AND NEW.priority = 1) - (OLD.status = 'WAITING' AND OLD.priority = 1),
      priority_known_minutes = priority_known_minutes + iif(NEW.status = 'WAITING' AND NEW.priority = 1, ifnull(NEW.work_minutes, 0), 0) - iif(OLD.status = 'WAITING' AND OLD.priority = 1, ifnull(OLD.work_minutes, 0), 0),
      priority_unknown = priority_unknown + (NEW.status = 'WAITING' AND NEW.priority = 1 AND NEW.work_minutes IS NULL) - (OLD.status = 'WAITING' AND OLD.priority = 1 AND OLD.work_minutes IS NULL)
    WHERE id = NEW.line_id;
  END;
  CREATE TRIGGER entries_count_deleted AFTER DELETE ON entries BEGIN
    UPDATE lines SET
      last_number = max(last_number, OLD.token_number),
      waiting = waiting - (OLD.status = 'WAITING'),
      in_service = in_service - (OLD.status = 'IN_SERVICE'),
      completed = completed - (OLD.status = 'COMPLETED'),
      canceled = canceled - (OLD.status = 'CANCELED'),
      no_show = no_show - (OLD.status = 'NO_SHOW'),
      finished = finished - (OLD.status = 'COMPLETED' AND OLD.started_at IS NOT NULL AND OLD.completed_at IS NOT NULL),
      finished_milliseconds = finished_milliseconds - iif(OLD.status = 'COMPLETED' AND OLD.started_at IS NOT NULL AND OLD.completed_at IS NOT NULL, OLD.completed_at - OLD.started_at, 0),
      known_minutes = known_minutes - iif(OLD.status = 'WAITING', ifnull(OLD.work_minutes, 0), 0),
      unknown = unknown - (OLD.status = 'WAITING' AND OLD.work_minutes IS NULL),
      priority_waiting = priority_waiting - (OLD.status = 'WAITING' AND OLD.priority = 1),
      priority_known_minutes = priority_known_minutes - iif(OLD.status = 'WAITING' AND OLD.priority = 1, ifnull(OLD.work_minutes, 0), 0),
      priority_unknown = priority_unknown - (OLD.status = 'WAITING' AND OLD.priority = 1 AND OLD.work_minutes IS NULL)
    WHERE id = OLD.line_id;
  END;
  CREATE TRIGGER entries_join_inserted AFTER INSERT ON entries
  WHEN NEW.status = 'WAITING' BEGIN
  INSERT INTO line_blocks (line_id, priority, level, block, waiting, known_minutes, unknown) VALUES
    (NEW.line_id, NEW.priority, 1, NEW.token_number >> 5,
     1, ifnull(NEW.work_minutes, 0), NEW.work_minutes IS NULL),
    (NEW.line_id, NEW.priority, 2, NEW.token_number >> 10,
     1, ifnull(NEW.work_minutes, 0), NEW.work_minutes IS NULL)
  ON CONFLICT DO UPDATE SET
    waiting = waiting + 1,
    known_minutes = known_minutes + excluded.known_minutes,
    unknown = unknown + excluded.unknown; END;
  CREATE TRIGGER entries_leave_updated AFTER UPDATE OF status, priority, work_minutes, started_at, completed_at ON entries
  WHEN OLD.status = 'WAITING' BEGIN
  UPDATE line_blocks SET
    waiting = waiting - 1,
    known_minutes = known_minutes - ifnull(OLD.work_minutes, 0),
    unknown = unknown - (OLD.work_minutes IS NULL)
  WHERE line_id = OLD.line_id AND priority = OLD.priority
    AND level = 1 AND block = OLD.token_number >> 5;
  UPDATE line_blocks SET
    waiting = waiting - 1,
    known_minutes = known_minutes - ifnull(OLD.work_minutes, 0),
    unknown = unknown - (OLD.work_minutes IS NULL)
  WHERE line_id = OLD.line_id AND priority = OLD.priority
    AND level = 2 AND block = OLD.token_number >> 10; END;
  CREATE TRIGGER entries_join_updated AFTER UPDATE OF status, priority, work_minutes, started_at, completed_at ON entries
  WHEN NEW.status = 'WAITING' BEGIN
  INSERT INTO line_blocks (line_id, priority, level, block, waiting, known_minutes, unknown) VALUES
    (NEW.line_id, NEW.priority, 1, NEW.token_number >> 5,
     1, ifnull(NEW.work_minutes, 0), NEW.work_minutes IS NULL),
    (NEW.line_id, NEW.priority, 2, NEW.token_number >> 10,
     1, ifnull(NEW.work_minutes, 0), NEW.work_minutes IS NULL)
  ON CONFLICT DO UPDATE SET
    waiting = waiting + 1,
    known_minutes = known_minutes + excluded.known_minutes,
    unknown = unknown + excluded.unknown; END;
  CREATE TRIGGER entries_leave_deleted AFTER DELETE ON entries
  WHEN OLD.status = 'WAITING' BEGIN
  UPDATE line_blocks SET
    waiting = waiting - 1,
    known_minutes = known_minutes - ifnull(OLD.work_minutes, 0),
    unknown = unknown - (OLD.work_minutes IS NULL)
  WHERE line_id = OLD.line_id AND priority = OLD.priority
    AND level = 1 AND block = OLD.token_number >> 5;
  UPDATE line_blocks SET
    waiting = waiting - 1,
    known_minutes = known_minutes - ifnull(OLD.work_minutes, 0),
    unknown = unknown - (OLD.work_minutes IS NULL)
  WHERE line_id = OLD.line_id AND priority = OLD.priority
    AND level = 2 AND block = OLD.token_number >> 10; END;

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
