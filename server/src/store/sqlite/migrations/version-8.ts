/** Each change of a block of people waiting leaves a random number behind: what was read of it may be kept. */
export const version8 = `
  ALTER TABLE line_blocks ADD COLUMN stamp INTEGER NOT NULL DEFAULT 0;

  DROP TRIGGER entries_join_inserted;
  DROP TRIGGER entries_leave_updated;
  DROP TRIGGER entries_join_updated;
  DROP TRIGGER entries_leave_deleted;
  CREATE TRIGGER entries_join_inserted AFTER INSERT ON entries
  WHEN NEW.status = 'WAITING' BEGIN
    INSERT INTO line_blocks
      (line_id, priority, level, block, waiting, known_minutes, unknown, stamp) VALUES
      (NEW.line_id, NEW.priority, 1, NEW.token_number >> 5,
       1, ifnull(NEW.work_minutes, 0), NEW.work_minutes IS NULL, random() >> 11),
      (NEW.line_id, NEW.priority, 2, NEW.token_number >> 10,
       1, ifnull(NEW.work_minutes, 0), NEW.work_minutes IS NULL, random() >> 11)
    ON CONFLICT DO UPDATE SET
      waiting = waiting + 1,
      known_minutes = known_minutes + excluded.known_minutes,
      unknown = unknown + excluded.unknown,
      stamp = excluded.stamp;
  END;
  CREATE TRIGGER entries_leave_updated AFTER UPDATE OF status, priority, work_minutes, started_at, completed_at ON entries
  WHEN OLD.status = 'WAITING' BEGIN
    UPDATE line_blocks SET
      waiting = waiting - 1,
      known_minutes = known_minutes - ifnull(OLD.work_minutes, 0),
      unknown = unknown - (OLD.work_minutes IS NULL),
      stamp = random() >> 11
    WHERE line_id = OLD.line_id AND priority = OLD.priority
      AND level = 1 AND block = OLD.token_number >> 5;
    UPDATE line_blocks SET
      waiting = waiting - 1,
      known_minutes = known_minutes - ifnull(OLD.work_minutes, 0),
      unknown = unknown - (OLD.work_minutes IS NULL),
      stamp = random() >> 11
    WHERE line_id = OLD.line_id AND priority = OLD.priority
      AND level = 2 AND block = OLD.token_number >> 10;
  END;
  CREATE TRIGGER entries_join_updated AFTER UPDATE OF status, priority, work_minutes, started_at, completed_at ON entries
  WHEN NEW.status = 'WAITING' BEGIN
    INSERT INTO line_blocks
      (line_id, priority, level, block, waiting, known_minutes, unknown, stamp) VALUES
      (NEW.line_id, NEW.priority, 1, NEW.token_number >> 5,
       1, ifnull(NEW.work_minutes, 0), NEW.work_minutes IS NULL, random() >> 11),
      (NEW.line_id, NEW.priority, 2, NEW.token_number >> 10,
       1, ifnull(NEW.work_minutes, 0), NEW.work_minutes IS NULL, random() >> 11)
    ON CONFLICT DO UPDATE SET
      waiting = waiting + 1,
      known_minutes = known_minutes + excluded.known_minutes,
      unknown = unknown + excluded.unknown,
      stamp = excluded.stamp;
  END;
  CREATE TRIGGER entries_leave_deleted AFTER DELETE ON entries
  WHEN OLD.status = 'WAITING' BEGIN
    UPDATE line_blocks SET
      waiting = waiting - 1,
      known_minutes = known_minutes - ifnull(OLD.work_minutes, 0),
      unknown = unknown - (OLD.work_minutes IS NULL),
      stamp = random() >> 11
    WHERE line_id = OLD.line_id AND priority = OLD.priority
      AND level = 1 AND block = OLD.token_number >> 5;
    UPDATE line_blocks SET
      waiting = waiting - 1,
      known_minutes = known_minutes - ifnull(OLD.work_minutes, 0),
      unknown = unknown - (OLD.work_minutes IS NULL),
      stamp = random() >> 11
    WHERE line_id = OLD.line_id AND priority = OLD.priority
      AND level = 2 AND block = OLD.token_number >> 10;
  END;
`;
