/** What the owner's pages read: the audit log by time, and when a key was last used. */
export const version3 = `
  DROP INDEX audit_by_business;
  CREATE INDEX audit_by_business_and_time ON audit (business_id, at);

  ALTER TABLE api_keys ADD COLUMN last_used_at INTEGER;
  CREATE TRIGGER key_windows_remembered AFTER DELETE ON key_windows BEGIN
    UPDATE api_keys SET last_used_at = OLD.requests_started_at WHERE id = OLD.key_id;
  END;
`;
