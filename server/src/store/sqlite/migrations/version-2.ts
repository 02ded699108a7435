/** The accounts of owners, who sign in to the dashboard. */
export const version2 = `
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
