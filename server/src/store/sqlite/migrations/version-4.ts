/** Each change of a line, and of a business's queues and services, increases a revision, kept by triggers. */
export const version4 = `
  ALTER TABLE lines ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE businesses ADD COLUMN board_revision INTEGER NOT NULL DEFAULT 0;

  DROP TRIGGER entries_count_inserted;
  DROP TRIGGER entries_count_updated;
  DROP TRIGGER entries_count_deleted;
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
      priority_unknown = priority_unknown + (NEW.status = 'WAITING' AND NEW.priority = 1 AND NEW.work_minutes IS NULL),
      revision = revision + 1
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
      priority_unknown = priority_unknown + (NEW.status = 'WAITING' AND NEW.priority = 1 AND NEW.work_minutes IS NULL) - (OLD.status = 'WAITING' AND OLD.priority = 1 AND OLD.work_minutes IS NULL),
      revision = revision + 1
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
      priority_unknown = priority_unknown - (OLD.status = 'WAITING' AND OLD.priority = 1 AND OLD.work_minutes IS NULL),
      revision = revision + 1
    WHERE id = OLD.line_id;
  END;
  CREATE TRIGGER queues_revise_inserted AFTER INSERT ON queues BEGIN
    UPDATE businesses SET board_revision = board_revision + 1 WHERE id = NEW.business_id;
  END;
  CREATE TRIGGER queues_revise_updated AFTER UPDATE ON queues BEGIN
    UPDATE businesses SET board_revision = board_revision + 1 WHERE id = NEW.business_id;
  END;
  CREATE TRIGGER queues_revise_deleted AFTER DELETE ON queues BEGIN
    UPDATE businesses SET board_revision = board_revision + 1 WHERE id = OLD.business_id;
  END;
  CREATE TRIGGER services_revise_inserted AFTER INSERT ON services BEGIN
    UPDATE businesses SET board_revision = board_revision + 1 WHERE id = NEW.business_id;
  END;
  CREATE TRIGGER services_revise_updated AFTER UPDATE ON services BEGIN
    UPDATE businesses SET board_revision = board_revision + 1 WHERE id = NEW.business_id;
  END;
  CREATE TRIGGER services_revise_deleted AFTER DELETE ON services BEGIN
    UPDATE businesses SET board_revision = board_revision + 1 WHERE id = OLD.business_id;
  END;
`;
