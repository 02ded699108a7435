import { StoreOpenError } from "../store-open-error.js";
import type { Connection } from "./connection.js";
import { applicationId } from "./database-file.js";
import { migrations } from "./migrations/all.js";

/**
 * The schema version of a database; 0 if it is empty. Changes nothing.
 *
 * @throws StoreOpenError if the database belongs to another program or has a newer version.
 */
export function schemaVersion(db: Connection, path: string): number {
  const version = Number(db.value("PRAGMA user_version"));
  const empty = Number(db.value("SELECT count(*) FROM sqlite_schema")) === 0;
  if (!empty && Number(db.value("PRAGMA application_id")) !== applicationId) {
    throw new StoreOpenError(`${path} holds the database of another program. Choose another file.`);
  }
  if (version > migrations.length) {
    throw new StoreOpenError(
      `${path} was written by a newer version of this service (schema ${version}, known up to ${migrations.length}). Upgrade, or choose another file.`,
    );
  }
  return version;
}

/** Migrates the database to the newest schema in one transaction. */
export function migrate(db: Connection, path: string): void {
  if (schemaVersion(db, path) === migrations.length) return;
  db.exec("BEGIN IMMEDIATE");
  try {
    // Another process may have migrated it in the meantime.
    for (const step of migrations.slice(schemaVersion(db, path))) db.exec(step);
    db.exec(`PRAGMA application_id = ${applicationId}`);
    db.exec(`PRAGMA user_version = ${migrations.length}`);
    db.exec("COMMIT");
  } catch (error) {
    if (db.inTransaction) db.exec("ROLLBACK");
    throw error;
  }
}
